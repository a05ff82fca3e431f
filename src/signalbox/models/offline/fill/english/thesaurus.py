"""Words of everyday English that stand for one another when a person picks one of several options."""

from __future__ import annotations

from collections import defaultdict

from signalbox.models.offline.fill.english.sentence import stem

__all__ = ["idioms_for", "parted_verbs_for", "same_meaning", "stands_for"]

# Each line is a family: any word of it may stand for any other. Only general words belong here.
_FAMILIES = """
delete remove erase discard drop destroy trash rid
create add new make insert register build
list show display view see browse enumerate
update change modify edit alter adjust amend rename raise lower increase decrease reduce correct
start launch begin run activate kick
stop halt end terminate kill finish
cancel abort revoke withdraw
pause suspend hold freeze
auto automatic automatically
resume continue unpause unfreeze
restart reboot reload bounce
find search lookup look seek locate
get fetch retrieve read obtain
send mail email dispatch
copy duplicate clone
move relocate shift
check verify test validate inspect
buy purchase order acquire
sell offload
book reserve
borrow lend loan
renew extend prolong
repair fix mend
approve accept allow authorize
reject deny decline refuse
complete completed done finished closed resolved
resolved solved fixed sorted
open unresolved outstanding
pending todo unfinished waiting
active running live ongoing
inactive stopped dormant
failed failing broken errored unsuccessful crashed
succeeded succeed success successful passed
urgent critical asap emergency immediately
high important severe major
medium normal moderate standard average regular
low minor trivial unimportant
big large huge
small little tiny
cheap cheapest inexpensive affordable budget
expensive costly pricey
fast fastest quick quickest rapid express
slow slowest
newest latest recent
oldest earliest
ascending asc increasing upward smallest lowest cheapest oldest
descending desc decreasing downward biggest highest newest priciest
average mean avg
maximum max peak highest
minimum min lowest
sum total
median p50
daily everyday
weekly
monthly
yearly annual annually
hourly
picture image photo
movie film
car automobile
doctor physician
phone telephone call
email mail
sms texting txt
veggie vegetarian
fahrenheit imperial
celsius metric centigrade
theft stolen stole robbery robbed burglary burgled
holiday vacation leave
sick ill sickness unwell
bug defect
feature enhancement
production prod live
development dev
staging stage preprod
economy coach
male man
female woman
refund reimbursement
customer client
transfer wire
paid settled
return send-back
delivery shipping shipment
pickup collect collection
credit visa mastercard
savings saving
checking current
grocery groceries
report inform notify tell alert know
damage break crack ruin dent scratch chip tear
injure injury hurt wound
gift present
insurance insure coverage
begin commence
rent hire
lift elevator
gearbox transmission
window pane
parcel package
pet dog cat animal
disabled wheelchair accessible
quiet silent
outside outdoors outdoor terrace patio
inside indoors indoor
beginner novice newbie starter
advanced expert experienced pro
sometimes occasionally intermittent sporadic
always constantly consistently everytime
refundable flexible
remote homeoffice
fulltime full-time
warranty guarantee
invoice bill
teacher instructor tutor trainer
purchase buy
urgent rush
income earn salary wage
lose lost
live reside
study studies
dog puppy pup
cat kitten
dinner supper
lorry truck
bicycle bike cycle
motorcycle motorbike
plane airplane aircraft
train rail railway
taxi cab
upper upstairs
ground downstairs
stitch sew sewn stitching
glue glued gluing adhesive
sofa couch settee
rubbish trash garbage waste
flat apartment
garden yard
mobile cellphone smartphone
child kid toddler
senior pensioner retired elderly
student pupil
baby infant
broken cracked smashed damaged
post letter
jumper sweater pullover
trousers pants
trainers sneakers
wallet purse
bag rucksack backpack handbag suitcase
clothing clothes garment
glasses spectacles
refrigerated chilled fridge cooled
frozen freezer
intern trainee apprentice
contractor freelancer freelance
internal staff inhouse
public everyone everybody
walk foot
collected fetched
double twin
solo alone
night overnight
spicy hot
vegan plantbased
autumn fall
colour color
grey gray
organise arrange
shop store
noisy loud
wooden wood timber
woollen wool woolen
metal steel metallic
golden gold
wedding marriage
funeral burial
illness sickness disease
cold chilly
sunny sun
rainy rain
snowy snow
windy wind
nurse carer
rural countryside
drunk intoxicated
joint shared
cancelled scrapped
owner landlord
tenant renter lodger
accident crash collision crashed
vaccination vaccine jab
surgery operation
teens teenager adolescent
coach trainer
informal casual
""".strip().splitlines()

# Turns of speech that stand for one word.
_IDIOMS: dict[str, tuple[str, ...]] = {
    "hourly": ("every hour", "each hour", "once an hour"),
    "daily": ("every day", "each day", "once a day", "every morning", "every night"),
    "weekly": ("every week", "each week", "once a week"),
    "monthly": ("every month", "each month", "once a month"),
    "yearly": ("every year", "each year", "once a year"),
    "quarterly": ("every quarter", "each quarter", "every three months", "every 3 months", "four times a year"),
    "fortnightly": ("every two weeks", "every other week", "every 2 weeks", "every second week", "biweekly"),
    "biweekly": ("every two weeks", "every other week", "every 2 weeks", "every second week", "fortnightly"),
    "nightly": ("every night", "each night"),
    "dinner": ("evening meal",),
    "lunch": ("midday meal",),
    "breakfast": ("morning meal",),
    "twice": ("two times", "2 times", "2x"),
    "thrice": ("three times", "3 times", "3x"),
    "never": ("at no time", "not at all"),
    "remote": ("from home", "at home", "home office"),
    "walk": ("on foot", "by foot"),
    "collect": ("come by", "come in for", "come and get"),
    "pickup": ("come by", "come in for", "come and get"),
    "delivery": ("to my door", "to our door", "to the door", "bring it", "bring them", "drop it off"),
    "annually": ("every year", "each year", "once a year"),
    "intermittent": ("now and then", "on and off", "once in a while", "from time to time", "every so often"),
    "sometimes": ("now and then", "on and off", "once in a while", "from time to time", "every so often"),
    "always": ("every time", "each time", "without fail"),
    "once": ("one time", "one off", "just once", "a single time"),
    "asc": ("low to high", "lowest first", "smallest first", "oldest first", "cheapest first", "a to z"),
    "desc": (
        "high to low",
        "highest first",
        "biggest first",
        "newest first",
        "largest first",
        "most expensive first",
        "z to a",
    ),
    "ascending": ("low to high", "lowest first", "smallest first", "oldest first", "a to z"),
    "descending": ("high to low", "highest first", "biggest first", "newest first", "largest first", "z to a"),
}

# Verbs that stand apart from their particle: "bring the key back", "set a rule up".
_PARTED = {
    "return": "bring back, give back, take back, send back, hand back, hand in",
    "borrow": "take out, check out",
    "renew": "keep longer, have longer",
    "reserve": "put aside, set aside, keep aside, put by",
    "create": "set up, put up, put in",
    "add": "put in, put on",
    "delete": "get rid, take down, take off, take out, throw away, throw out",
    "remove": "get rid, take down, take off, take out, throw away, throw out",
    "cancel": "call off",
    "update": "set to",
    "change": "set to",
    "start": "turn on, switch on, fire up",
    "stop": "turn off, switch off, shut down, shut off",
    "pause": "put hold",
    "collect": "pick up",
    "pickup": "pick up",
    "dropoff": "drop off",
    "deliver": "drop off, bring round",
    "postpone": "put off, push back, put back",
    "reject": "turn down",
    "decline": "turn down",
    "assemble": "put together",
    "install": "put in, fit in",
}

_MEMBERS: dict[str, set[int]] = defaultdict(set)
for _number, _family in enumerate(_FAMILIES):
    for _word in _family.split():
        _MEMBERS[stem(_word)].add(_number)
_KIN: dict[str, frozenset[str]] = {
    word: frozenset(stem(other) for number in numbers for other in _FAMILIES[number].split())
    for word, numbers in _MEMBERS.items()
}


def same_meaning(a: str, b: str) -> bool:
    """Whether two stems belong to one family."""
    return b in _KIN.get(a, ())


def stands_for(word: str) -> frozenset[str]:
    """The stems that a stem may stand for, itself not among them."""
    return _KIN.get(word, frozenset()) - {word}


_PARTED_STEMS = {
    stem(verb): tuple(tuple(map(stem, one.split())) for one in row.split(",")) for verb, row in _PARTED.items()
}


def parted_verbs_for(word: str) -> tuple[tuple[str, ...], ...]:
    """The stems of verb and particle, which other words may part, that stand for a stem."""
    return _PARTED_STEMS.get(word, ())


def idioms_for(word: str) -> tuple[str, ...]:
    """The turns of speech that stand for a word."""
    return _IDIOMS.get(word, ())
