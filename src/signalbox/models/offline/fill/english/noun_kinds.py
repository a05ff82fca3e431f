"""What a common noun of a field says of the bearer of the name that it asks for: a cox is somebody, a choir a body."""

from __future__ import annotations

from functools import lru_cache

from signalbox.language.words import word_set

__all__ = ["kind_of_noun"]

_PERSONS = word_set(
    """accountant adviser advisor ancestor apprentice architect artist assistant athlete attorney author babysitter
    baker barber barrister bidder borrower bride broker buddy builder butcher buyer caller candidate captain
    caretaker carpenter cashier chairman chairwoman chaperone chef child citizen claimant cleaner client clerk
    coach colleague commander companion complainant composer conductor contractor coordinator counsellor
    counselor courier
    cox creditor curator customer dancer debtor deceased defendant dentist deputy designer detective diver
    doctor donor driver editor electrician employee engineer examiner expert farmer father fisherman foreman
    founder friend gardener goalkeeper grandparent groom guardian guest guide hairdresser heir helper helmsman
    holder host hunter husband illustrator inspector instructor insured interpreter interviewer inventor jockey
    journalist judge juror keeper landlady landlord lawyer leader lecturer lender librarian lifeguard lodger
    machinist magistrate maid maintainer manager marshal mechanic mediator member mentor midwife minister mother
    musician narrator navigator neighbour neighbor nominee notary novelist nurse observer occupant officer operator
    organiser organizer organist owner painter parent participant partner passenger pastor patient people person
    pharmacist photographer physician physiotherapist pianist pilot plaintiff player plumber poet policeman
    porter postman priest principal prisoner professor prosecutor publican pupil rabbi ranger reader
    receptionist referee registrar relative reporter representative rescuer researcher resident reviewer rider
    roofer rower sailor sculptor secretary seller sender shepherd sibling signatory singer skip skipper soldier
    solicitor soloist speaker spouse steward student subscriber supervisor surgeon surveyor suspect swimmer
    tailor teacher technician tenant tester therapist trainee trainer translator traveller traveler treasurer trustee
    tutor umpire undertaker user usher vet veterinarian vicar victim violinist visitor volunteer waiter waitress
    warden welder widow widower wife winner winemaker witness woman worker writer"""
)
_BODIES = word_set(
    """academy agency airline army association authority bakery band bank brewery brigade broadcaster business carmaker
    chain charity choir clinic club college committee community company congregation consortium contractor
    cooperative corporation council counterparty court creamery dairy dealer dealership embassy employer
    enterprise ensemble federation firm foundation garage gallery government guild hospital hotel institute
    institution insurer kindergarten laboratory league library manufacturer ministry museum newspaper nursery
    office operator orchestra organisation organization party pharmacy practice producer provider publisher
    quartet regiment restaurant retailer school seller shop society startup store studio supplier syndicate team
    theatre trust union university utility vendor wholesaler winery workshop"""
)
_PLACES = word_set(
    """airfield airport alley avenue bay beach berth borough boulevard bridge building campsite canal canyon castle
    cathedral cave cemetery center centre chapel church city coast continent corner country county creek
    crossroads district dock estate estuary farm fjord forest fort fountain gate glacier gorge grounds hall
    hamlet harbour harbor heath hill hut intersection island junction lagoon lake landmark lane lighthouse marina
    market meadow monument moor motorway mountain municipality neighbourhood neighborhood ocean orchard palace parish
    park path peak peninsula pier pitch place plaza pond pool port province quarry quay racecourse ravine reef refuge
    region reserve reservoir ridge river road roundabout ruin rink sea settlement shore site slope spot square
    stadium station stop strait stream street suburb summit tarn temple terminal terrace territory tower town
    trail tunnel valley vault village vineyard volcano ward warehouse water waterfall waterway well wetland
    wharf wood yard"""
)
_KINDS = {word: kind for kind, words in (("place", _PLACES), ("organisation", _BODIES)) for word in words}
_KINDS |= dict.fromkeys(_PERSONS, "person")


@lru_cache(maxsize=2_000)
def kind_of_noun(noun: str) -> str:
    """person, organisation, place, or nothing when the noun does not tell."""
    # No stems here: a train is no trainer.
    word = noun.lower()
    singular = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ies") + "y")
    return next((_KINDS[one] for one in singular if one in _KINDS), "")
