"""Roles that a free text can play in a sentence, and the words of English that announce each.

A field's role follows from its name and description; nothing here knows any schema. `cues` stand before the value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.words import stem, word_set

__all__ = ["Role", "cues_of", "direction_of", "roles_of", "style_of"]


@dataclass(frozen=True, slots=True)
class Role:
    """A part that a text plays: words of a field that mean it, words of a sentence that announce it, its style.

    Styles: `name` ends at the next preposition, `text` runs on, `object` is also what the first verb acts on.
    """

    name: str
    words: frozenset[str]
    cues: tuple[tuple[str, float], ...]
    style: str


def _role(name: str, style: str, words: str, **cues: str) -> Role:
    """Cues by strength: strong, fair, weak; phrases are parted by commas."""
    strengths = {"strong": 1.0, "fair": 0.75, "weak": 0.45}
    listed = tuple((cue.strip(), strengths[level]) for level, row in cues.items() for cue in row.split(","))
    return Role(name, frozenset(stem(word) for word in words.split()), listed, style)


_ROLES = (
    _role(
        "destination",
        "name",
        "to destination dest arrival target recipient receiver goal payee beneficiary toward into dropoff",
        strong="->,→,=>,to,into,towards,toward,going to,arriving in,arriving at,heading to,bound for",
        weak="for",
    ),
    _role("copy", "name", "cc bcc", strong="cc,cc'ing,copy,copying,bcc,ccing"),
    _role(
        "origin",
        "name",
        "from origin source departure sender start leaving depart payer pickup shipper",
        strong="from,leaving from,leaving,departing from,departing,starting from,out of,starting at",
    ),
    _role(
        "place",
        "name",
        "location place city town country region address where venue room area site zone airport station "
        "office "
        "building neighborhood state store warehouse destination hotel restaurant stadium campus point spot",
        strong="in,near,around,located in,close to,nearby,room,hall,terminal,gate,studio,venue",
        fair="at,within,across,inside",
        weak="of,to,on,for",
    ),
    _role(
        "person",
        "name",
        "person assignee owner user employee customer manager contact attendee guest who author creator "
        "member "
        "reviewer approver colleague patient student friend teacher doctor applicant candidate username "
        "recipient participant invitee "
        "host responsible artist band singer author director composer writer actor people participants "
        "attendees invitees driver agent caller client staff speaker tenant claimant resident passenger subscriber "
        "holder requester renter buyer seller borrower instructor trainer tutor coach",
        strong="with,assign to,assigned to,invite,by,assign it to,owned by,reporting to,reports to,"
        "managed by,led by,give it to,inviting,reviewer",
        fair="for,to,of,from",
        weak="and,tell,ask,call",
    ),
    _role(
        "task",
        "text",
        "title task todo reminder summary action goal what objective job chore item",
        strong="remind me to,remind us to,remind me about,remind me of,remember to,reminder to,"
        "reminder about,reminder for,task to,todo to,todo,to do,"
        "task,need to,have to,don't forget to,dont forget to,remind me that,ticket for,ticket about,"
        "issue for,issue about,bug about,story for,reminder,"
        "note to,reminder that,summary,story to,ticket to,issue that,bug that,ticket that",
        fair="called,titled,named,entitled,summary,title",
        weak="for,about",
    ),
    _role(
        "name",
        "name",
        "name title called alias nickname username filename handle",
        strong="called,named,titled,entitled,with the name,with name,labelled,labeled,known as,name it,"
        "call it,with title,title,under the name",
        weak="as",
    ),
    _role(
        "topic",
        "text",
        "subject topic about theme matter headline agenda issue",
        strong="about,regarding,concerning,re,with subject,subject,titled,with the subject,on the topic of,"
        "on the subject of",
        fair="on",
        weak="for,of",
    ),
    _role(
        "body",
        "text",
        "body message content text note comment remark announcement msg description detail details contents "
        "notes prompt caption post",
        strong="forget to,remind me to,remember to,remind me about,remind me of,remind me that,saying,"
        "that says,says,say,telling them,telling him,telling her,with the message,with message,"
        "with body,with the text,with text,message,"
        "body,with the body,reading,with a note,with note,with the note,note that,note,to say,tell them,"
        "tell him,tell her,with the comment,with comment,"
        "comment,let them know,let him know,let her know,saying that,memo,with memo,reads,with description,"
        "description,details,text,with a comment,mention",
        fair="that,:,because,about",
    ),
    _role(
        "problem",
        "text",
        "problem symptom complaint trouble fault wrong malfunction",
        strong="because,that,saying,problem is,problem,complaining that,reporting that",
        fair=":,with,i have,i've got,we have",
    ),
    _role("question", "text", "question ask", strong="asking,ask,question,:"),
    _role(
        "remark",
        "text",
        "memo reference remark purpose",
        strong="memo,with memo,with the memo,saying,note,reference,with reference,with the note,with a note,marked",
        fair="for",
    ),
    _role(
        "reason",
        "text",
        "reason cause justification why purpose motive rationale explanation grounds",
        strong="because of,because,due to,on account of,owing to,as,since,reason,cause,cos,bc,b/c,"
        "on grounds of,in order to,for reasons of,suffering from,complaining of",
        fair="for,i have,i've got",
    ),
    _role(
        "match",
        "name",
        "contains contain containing mentions match",
        strong="containing,matching,mentioning,that mention,that contain,that mentions,"
        "that contains,with the words,with the text,contains,contain,includes,saying",
        fair="with,about",
    ),
    _role(
        "query",
        "object",
        "query search keyword keywords term terms phrase find lookup criteria q",
        strong="search for,searching for,look for,looking for,look up,find,search,containing,matching,google,"
        "mentioning,that mention,that contain,"
        "find me,find out about,that mentions,that contains,with the words,including",
        fair="about,named,called",
        weak="with",
    ),
    _role(
        "thing",
        "object",
        "item product thing object good article dish food meal drink recipe song track movie film book "
        "game "
        "commodity merchandise treatment",
        strong="for a,for an,some",
        fair="of,for",
        weak="from,with,using,containing",
    ),
    _role(
        "part",
        "name",
        "ingredient ingredients topping toppings accessory accessories equipment feature features extra extras "
        "amenity amenities contents skill skills",
        strong="with,using,containing,including,includes,plus,add,has,have,who knows,knows,know,must know,made with",
        fair="of",
    ),
    _role(
        "exclusion",
        "name",
        "exclude excluded without avoid omit allergy allergies ignore except skip unwanted",
        strong="without,no,except,excluding,avoid,"
        "avoiding,but no,minus,allergic to,hold the,leave out,not,skip,omit,except for,don't include,"
        "apart from,ignore,ignoring,but not",
    ),
    _role(
        "organisation",
        "name",
        "company employer organization organisation vendor merchant store restaurant airline bank supplier "
        "brand shop carrier "
        "school university hospital clinic provider insurer partner business retailer manufacturer",
        strong="at,from,by,via,through",
        fair="for,on,to,with",
    ),
    _role(
        "tag",
        "name",
        "tag tags label labels keyword",
        strong="tagged,tag it,tagged as,tagged with,labelled,labeled,tag,label,with tag,with tags,"
        "with label,with labels,tags,labels,with the tag,with the tags,with the label,with the labels,"
        "labels:,tag it as",
        fair="as",
    ),
    _role(
        "label",
        "name",
        "category categories folder group project list team department channel topic board playlist course "
        "class program lesson genre section album",
        strong="under,in category,filed under,category",
        fair="in,to,into,on,for,from",
        weak="with,of,as",
    ),
    _role("language", "name", "language lang locale tongue translation", strong="in,into,to", fair="from"),
    _role(
        "grouping",
        "name",
        "group grouping breakdown split dimension by partition aggregate grouped",
        strong="by,per,grouped by,group by,split by,broken down by,for each,each,for every,break down by,breakdown by",
    ),
    _role(
        "occasion",
        "name",
        "occasion celebration holiday",
        strong="for a,for my,for our,for an,celebrating,occasion",
        fair="for",
    ),
    _role(
        "ordering",
        "name",
        "sort order ordering sorted",
        strong="sorted by,sort by,ordered by,order by,by,sort them by,ranked by,rank by",
    ),
    _role(
        "attachment",
        "name",
        "attachment attach",
        strong="attach,attaching,attached,with attachment,with attachments,with the file,with the files,include",
    ),
    _role(
        "file",
        "name",
        "path file folder directory filename document",
        strong="in,into,to,from,under,at,file,folder,inside",
        fair="of,for,on",
    ),
    _role(
        "means",
        "name",
        "method means tool mode transport payment medium",
        strong="via,using,by,through,with",
        fair="on,in,over",
    ),
    _role(
        "system",
        "name",
        "service server host hostname device machine database table repository repo branch application app "
        "cluster namespace "
        "environment job pipeline queue metric model node instance interface component system domain website "
        "endpoint module package function dataset index account",
        strong="of,for,on,from,against",
        fair="in,to,at,with,into",
    ),
    _role("value", "name", "value setting new", strong="to,=,as,equal to,equals,with value"),
    _role(
        "code",
        "name",
        "code coupon voucher promo id identifier number reference ref key sku serial",
        strong="code,number,no,#,id,ref,reference,key",
        fair="with,using,for,of",
    ),
    _role("colour", "name", "color colour", strong="in,color,colour"),
    _role(
        "specialty",
        "name",
        "size variant flavor flavour type kind style model breed material",
        strong="in,size,in size,type,of type",
        fair="of,as,with",
    ),
    _role(
        "role",
        "name",
        "role position job occupation profession rank designation",
        strong="as,as a,as an,as the,position of,role of",
        fair="for",
    ),
)
_SMALL_WORDS = word_set(
    """with using without no from to into in at by for of on per via about containing including except excluding
    called named near under over"""
)
_OPPOSITE = {"destination": ("from",), "origin": ("to", "into")}
_DANGLING = re.compile(
    r"\b(to|for|from|in|at|with|by|about|on|of)[.)]?$|\b(to|for|from|in|at|with|by|about|on|of)\s*[.,;(]"
)


@lru_cache(maxsize=2_000)
def _roles(name_words: tuple[str, ...], described: tuple[str, ...]) -> tuple[tuple[Role, float], ...]:
    names = {stem(word) for word in name_words}
    head = stem(name_words[-1]) if name_words else ""
    spoken = [stem(word) for word in described]
    found = []
    for role in _ROLES:
        strength = 1.0 if head in role.words else (0.85 if names & role.words else 0.0)
        if not strength:
            first = next((at for at, word in enumerate(spoken) if word in role.words), None)
            strength = 0.0 if first is None else (0.8 if first < 2 else 0.6)
        if strength:
            found.append((role, strength))
    return tuple(sorted(found, key=lambda pair: -pair[1]))


def roles_of(field: Field) -> tuple[tuple[Role, float], ...]:
    """The roles of a field with their strength, strongest first."""
    return _roles(field.name_words, field.described)


def style_of(field: Field) -> str:
    """How far the field's text runs: that of its strongest role; a name when it has none."""
    roles = roles_of(field)
    return roles[0][0].style if roles else "name"


def cues_of(field: Field) -> dict[tuple[str, ...], float]:
    """The phrases that announce the field's value, as tuples of words, with their strength."""
    cues = _cues(field.name_words, field.described, field.description)
    towards = (
        direction_of(field.within)
        if field.name in ("name", "city", "address", "id", "place", "account", "location")
        else ()
    )
    return {**cues, **{(cue,): 1.0 for cue in towards}} if towards and field.required else cues


def direction_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """The single words that announce a part whose name says a direction: "to" for recipient, "from" for sender."""
    stems = {stem(word) for word in words}
    for role in _ROLES:
        if role.name in ("destination", "origin") and stems & role.words:
            return tuple(cue for cue, weight in role.cues if weight == 1.0 and " " not in cue)
    return ()


def _is_directed(roles: list[tuple[Role, float]]) -> bool:
    """Whether one of the roles is a direction by itself, or the field is no place where one could lead."""
    return not any(role.name == "place" for role, _ in roles) or any(role.name in _OPPOSITE for role, _ in roles)


def _announcers(description: str) -> list[str]:
    """The small words that a description itself gives as announcing the value: "what is left out (without, no)"."""
    lists = re.findall(r"\(([^)]{2,60})\)", description.lower())
    words = [word.strip(" '\"`") for row in lists for word in re.split(r",|/|\bor\b|;", row)]
    return [word for word in words if word in _SMALL_WORDS]


@lru_cache(maxsize=2_000)
def _cues(name_words: tuple[str, ...], described: tuple[str, ...], description: str) -> dict[tuple[str, ...], float]:
    cues: dict[tuple[str, ...], float] = {}
    roles = _roles(name_words, described)
    by_name = [pair for pair in roles if pair[1] > 0.8 or (pair[0].name == "role" and pair[1] == 0.8)]
    # A name that says the direction, as in "from_account", leaves no other reading.
    if names_direction := [pair for pair in by_name if pair[0].name in ("destination", "origin", "exclusion")]:
        by_name = names_direction + [pair for pair in roles if pair[0].name in ("language", "place", "file")]
    if not any(strength > 0.8 for _, strength in by_name):
        by_name = []
    for role, strength in by_name or roles[:2]:
        for cue, weight in role.cues:
            words = tuple(cue.split())
            cues[words] = max(cues.get(words, 0.0), weight * strength)
    for role, strength in roles if not _is_directed(by_name) else ():
        if role.name in ("destination", "origin") and strength <= 0.8:
            cues |= {tuple(cue.split()): 0.8 for cue, weight in role.cues if weight == 1.0 and (cue,) not in cues}
    opposite = {role.name for role, _ in by_name} & set(_OPPOSITE)
    for cue in _OPPOSITE[next(iter(opposite))] if len(opposite) == 1 else ():
        cues.pop((cue,), None)
    if opposite == {"origin"} and any(role.name == "language" for role, _ in by_name):
        cues.pop(("in",), None)
    cues |= {(word,): 0.98 for word in _announcers(description)}
    if re.search(r"\b(?:limited|restrict\w*|only)\b", description.lower()):
        cues[("only",)] = max(cues.get(("only",), 0.0), 0.8)
    spoken = roles[0][0].style if roles else "name"
    for found in _DANGLING.finditer(description.lower()) if spoken == "name" else ():
        word = (found[1] or found[2],)
        cues[word] = max(cues.get(word, 0.0), 0.8)
    return cues
