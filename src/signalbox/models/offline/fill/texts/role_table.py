"""Roles that a free text can play in a sentence, and the words of English that announce each.

Nothing here knows any schema. `cues` stand before the value.
"""

from __future__ import annotations

from dataclasses import dataclass

from signalbox.models.offline.fill.english.sentence import stem

__all__ = ["ROLES", "Role"]


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


ROLES = (
    _role(
        "destination",
        "name",
        "to destination dest arrival target recipient receiver goal payee beneficiary toward into dropoff",
        strong="->,→,=>,to,into,towards,toward,going to,arriving in,arriving at,heading to,bound for,"
        "leaves for,leave for,leaving for,left for,departs for,depart for,departing for,sails for,sailing for,"
        "heads for,heading for,makes for,sets off for,setting off for,off to",
        weak="for",
    ),
    _role("copy", "name", "cc bcc", strong="cc,cc'ing,copy,copying,bcc,ccing"),
    _role(
        "origin",
        "name",
        "from origin source departure sender start leaving depart payer pickup shipper",
        strong="from,leaving from,leaving,leave,leaves,departing from,departing,starting from,out of,starting at",
    ),
    _role(
        "place",
        "name",
        "location place city town hometown birthplace country region "
        "address where venue room area site zone airport station "
        "office "
        "building neighborhood state store warehouse destination hotel restaurant stadium campus point spot "
        "harbour harbor marina pier depot campsite park beach lake island village district street square garage "
        "terminal gym cinema theatre museum",
        strong="in,at,near,around,located in,close to,nearby,room,hall,terminal,gate,studio,venue,outside,opposite,"
        "beside,next to,behind,in front of,along",
        fair="within,across,inside,into",
        weak="of,to,on,for,from",
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
        "holder requester renter buyer seller borrower instructor trainer tutor coach "
        "pupil technician worker mechanic nurse child parent neighbour boss traveller visitor volunteer "
        "winner player member musician chef cook signatory trainee intern moderator editor leader organiser "
        "organizer inspector plumber electrician engineer lawyer broker dentist vet surgeon donor pilot "
        "captain crew sponsor bride groom deceased heir supervisor foreman translator interpreter "
        "photographer",
        strong="with,assign to,assigned to,invite,by,assign it to,owned by,reporting to,reports to,"
        "managed by,led by,give it to,in the name of,under the name of,under the name,inviting,reviewer",
        fair="for,to,sign up,enrol,enroll,register",
        weak="tell,ask,call,of,from",
    ),
    _role(
        "performer",
        "name",
        "actor actress star cast performer",
        strong="starring,featuring,stars,with,played by,performed by",
    ),
    _role(
        "task",
        "text",
        "title task todo reminder summary action goal what objective job chore",
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
        "name title called alias nickname username filename hostname handle",
        strong="called,named,titled,entitled,with the name,with name,labelled,labeled,known as,name it,"
        "call it,with title,title,under the name",
        weak="as",
    ),
    _role(
        "topic",
        "text",
        "subject topic about theme matter headline agenda issue",
        strong="about,regarding,concerning,re,with subject,subject,subject line,titled,with the subject,"
        "on the topic of,on the subject of",
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
        strong="because,that,saying,problem is,problem,complaining that,reporting that,"
        "complains of,complaining of,complained of,suffers from,suffering from",
        fair=":,with,i have,i've got,we have,has",
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
        "on grounds of,in order to,for reasons of,suffering from,complaining of,"
        "off with,ill with,sick with,down with,home with,in bed with",
        fair="for,about,i have,i've got",
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
        strong="some,looking for a,looking for an,looking for,search for a,asking for a",
        fair="of,for a,for an",
        weak="for,from,with,using,containing",
    ),
    _role(
        "part",
        "name",
        "ingredient ingredients topping toppings accessory accessories equipment feature features extra extras "
        "amenity amenities contents skill skills",
        strong="with,using,containing,including,includes,plus,add,has,have,who knows,knows,know,must know,made with,"
        "inside were,inside was,inside is,inside are,in it were,in it was",
        fair="of",
    ),
    _role(
        "exclusion",
        "name",
        "exclude excluded without avoid omit allergy allergies ignore except skip unwanted",
        strong="without,no,except,excluding,avoid,"
        "avoiding,but no,minus,allergic to,hold the,leave out,not,skip,omit,except for,don't include,"
        "apart from,ignore,ignoring,but not,can't have,cannot have,cant have,can't eat,cannot eat,don't eat,"
        "doesn't eat,"
        "intolerant to,allergy to,free of,free from,stay away from,steer clear of,never,nothing with",
    ),
    _role(
        "organisation",
        "name",
        "company employer organization organisation vendor merchant store restaurant airline bank supplier "
        "brand make maker shop carrier "
        "school university hospital clinic provider insurer partner business retailer manufacturer publisher "
        "pharmacy gallery charity agency",
        strong="at,from,by,via,through,works for,works at,work for,work at,"
        "working for,working at,employed by,employed at,on behalf of",
        fair="for,on,to,with,of",
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
        "environment job pipeline queue metric node instance interface component system domain website "
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
        "size variant flavor flavour type kind style breed material",
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
