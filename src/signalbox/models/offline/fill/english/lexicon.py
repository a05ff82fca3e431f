"""Words of everyday English that tell a verb from a noun and a person's name from a plain word."""

from __future__ import annotations

from functools import lru_cache

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import stem

__all__ = ["AUXILIARIES", "BASE_VERBS", "FIRST_NAMES", "HONORIFICS", "KINSHIP", "is_past", "is_verb_form"]

AUXILIARIES = word_set(
    """is are was were be been being am has have had do does did will would can could should must may might shall
    won't wont wouldn't can't cant cannot couldn't doesn't doesnt don't dont didn't didnt isn't isnt aren't arent
    wasn't hasn't haven't shouldn't he's she's it's they're we're you're i'm he'll she'll they'll we'll i'll let
    let's lets gets got keeps seems"""
)
HONORIFICS = word_set("mr mrs ms miss mx dr doctor prof professor sir madam herr frau mr. mrs. ms. dr. prof. st.")
# Whom people name by what they are to them: "my son Paul".
KINSHIP = word_set(
    """son daughter mother father mum mom dad brother sister wife husband partner friend colleague neighbour
    neighbor boss aunt uncle cousin grandma grandpa grandmother grandfather child kid nephew niece boyfriend
    girlfriend fiance fiancee roommate flatmate teammate"""
)
# Base forms of verbs that are rarely nouns, or that stand first in requests.
BASE_VERBS = word_set(
    """accept add adjust advise agree aim allow appear apply approve arrange arrive ask assign assume attach attend
    avoid become begin behave believe belong blink borrow break bring build burn buy calculate cancel carry catch
    change charge check choose clean clear click close collect come compare complain complete confirm consider
    contain continue convert cook correct cost crack crash create cut deal decide deliver deny depart describe
    destroy die disappear discuss disconnect download draw drink drip drive drop eat email enable encounter end
    enjoy enrol enroll ensure enter erase exist expect explain export fail fall feel fetch file fill find finish fit
    fix flash flicker fly follow forget freeze fulfil get give go grant grow guess hang happen hear help hire hold
    hope identify ignore import improve include increase inform insert inspect install introduce invite join jump
    keep know lack last launch leak learn leave lend let lie like listen live load locate lock look lose love make
    manage mark matter mean measure meet melt mention merge miss mount move need notice notify occur offer open
    operate order organise organize overheat own paint park pass pay perform pick place plan play please post prefer
    prepare prevent print proceed process produce promise proofread protect prove provide publish pull push put quit
    raise reach read receive recommend record reduce refer refund refuse register reject relate release rely remain
    remember remind remove rename rent repair repeat replace reply report represent request require reschedule
    reserve reset resolve respond restart retry return review rise run rust save say schedule seem sell send serve
    set share shift ship show shut sign sing sit skip sleep slip smell smoke sound speak spend spill squeak stand
    start stay steal stick stop store stream strike study submit subscribe suffer suggest supply support suppose
    swap swim switch take talk taste tell tend test thank think throw tow track transfer translate travel treat
    trigger trip trust try turn type understand unlock update upgrade upload use vary verify visit wait wake walk
    want warn wash watch wear weigh win wish wonder work worry wrap write call book heat announce cause affect
    impact donate draft log extend archive deploy scale restore sync mute unmute rate escalate rebase clone mow
    prune weld polish engrave dispatch activate deactivate disable query list display count generate compose ring
    phone message alert reorder restock bill search plot graph pledge contribute nominate vote enlist cater rehearse
    practise practice celebrate relocate rotate resize crop scan fax mail back backup migrate patch provision
    allocate revoke whitelist blacklist ban permit admit discharge prescribe vaccinate examine diagnose groom adopt
    foster board host chair moderate present propose outline summarise summarize transcribe caption edit typeset
    reprint laminate bind deduct reimburse invoice quote estimate appraise"""
)
_VERB_STEMS = frozenset(stem(word) for word in BASE_VERBS)
FIRST_NAMES = word_set(
    """aaron abdul abigail adam adele adrian ahmed aisha alan albert alejandro alessandro alex alexander alexandra
    alfred ali alice alicia alina alison amanda amara amelia amelie amina amir amy ana anders andre andrea andreas
    andrew andy angela anita anja ann anna anne annika antoine anton antonio anya april aria arjun arne arthur asha
    astrid axel ayse barbara beatrice ben benedict benjamin bernard beth betty bianca bill birgit bjorn bob boris
    brandon brenda brian bridget bruno bryan caleb camila carl carla carlos carmen carol caroline catherine cecilia
    charles charlie charlotte chen chiara chloe chris christian christina christine christopher claire clara claudia
    clemens colin connor craig cristina cynthia daisy dan dana daniel daniela dave david dawn deborah denise dennis
    diana diego dimitri dmitri dominic donald donna dora doris dorothy dylan eddie edgar edith edward elena eli
    elias elif elisa elise eliza elizabeth ella ellen elliot emil emilia emily emma emmanuel eric erik erika erin
    ernst esme esther ethan eva evan eve evelyn fatima felicia felix fernando finn fiona florian frances francesca
    francis francisco frank franz fred freya frida fritz gabriel gabriela gareth gary gavin george georgia gerald
    gerard gina giovanni giulia graham greg greta guillermo gustav hamza hanna hannah hans harald harriet harry
    hassan hazel heather hector heidi heike helen helena helga henrik henry herbert hilda hiroshi holly hugo ian
    ibrahim ida ilse imran ines inga ingrid irene iris isaac isabel isabella isla ivan ivo ivy jack jackson jacob
    jacques jake jakob james jamie jan jana jane janet jasmine jason javier jean jeff jennifer jenny jeremy jerome
    jessica jill jim joan joanna joao joe joel johan johanna johannes john jon jonas jonathan jorge jose josef
    joseph josh joshua juan judith julia julian juliet julie julius june karen karim karin karl kate katharina
    katherine kathleen katie katrin keith kelly ken kenji kevin khalid kim klaus kofi kristina kurt kyle lara
    larissa lars laura lauren laurence lea leah leila lena leo leon leonard leonie leslie leticia levi liam lidia
    lilian lily linda lisa liz lola lorenzo louis louisa louise luca lucas lucia lucy ludwig luis luisa lukas luke
    lydia magda magnus maja malik manuel mara marc marcel marco marcus margaret maria mariam marie marina mario
    marion mark marta martha martin martina mary mateo mathias mathilda matilda matteo matthew matthias maurice max
    maya megan mehmet mei melanie melissa mia michael michelle miguel mike mila milan milo mina mira miriam mohamed
    mohammed moira molly monica morgan muhammad murat nadia nadine naomi natalia natalie natasha nathan neil nele
    nia nicholas nick nicola nicolas nicole niklas nikolai nils nina noah noel nora norman olaf olga oliver olivia
    omar oscar oskar otto owen pablo pamela paola pat patricia patrick paul paula pauline pavel pedro penny per pete
    peter petra philip philipp phoebe pia pierre piotr priya rachel rafael rahul ralph ramona raphael raul ravi ray
    raymond rebecca renata rene ricardo richard rita rob robert roberto robin rodrigo roger roland roman ron ronald
    rosa rosie ross roxanne ruben rudolf rupert russell ruth ryan sabine sally sam samantha samir samuel sandra
    sanjay sara sarah sasha saskia scott sean sebastian selin serena sergei sergio shane sharon sheila sigrid silvia
    simon simone sofia sofie sonia sonja sophia sophie stacy stefan stefanie stella stephanie stephen steve steven
    stuart sue susan susanne sven svetlana sylvia tamara tania tanja tara tariq tatiana ted teresa terry thea theo
    theresa thomas tilda tim timo timothy tina tobias toby todd tom tomas tommy tony tracy tristan uma ursula ole
    olav kari lise siv tove trond svein knut gunnar bjarne eirik anneli mette soren jens niels mads jorgen mikkel
    emre can deniz fatma zeynep hamid reza sana farid nuno rui tiago goncalo marek pawel agnieszka ewa zofia jules
    noor aoife siobhan niamh ciaran fionn cara dario enzo aldo ugo kaspar urs reto beat raj anil sunil deepa meera
    kavya ming jun yan ling hana kenta akira sora minho jisoo valentina valerie vanessa vera veronica vicky victor
    victoria vikram viktor vincent viola viktoria walter wanda wei wendy werner wilhelm will william willem wolfgang
    xavier yara yasmin yasmine yuki yusuf yves yvonne zara zoe"""
)
_NOT_PAST = BASE_VERBS | AUXILIARIES


@lru_cache(maxsize=5_000)
def is_past(word: str) -> bool:
    """Whether a word is the past form of a common verb."""
    return is_verb_form(word) and word not in _NOT_PAST and (word.endswith("ed") or stem(word) != word.rstrip("s"))


@lru_cache(maxsize=5_000)
def is_verb_form(word: str) -> bool:
    """Whether a word in small letters is some form of a common verb."""
    return word in AUXILIARIES or stem(word) in _VERB_STEMS
