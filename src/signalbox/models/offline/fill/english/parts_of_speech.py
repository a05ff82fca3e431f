"""Small closed classes of English words, by what they do to a phrase."""

from __future__ import annotations

from signalbox.language.words import word_set

__all__ = ["PARTS_OF_SPEECH"]

PARTS_OF_SPEECH: dict[str, frozenset[str]] = {
    "stops": word_set(
        """every each to from in at on for with by about because saying that and called named titled as via using
        between during until since where which who when please thanks thank if so but then or regarding
        into per before after is are was has have my i we you it than over under above below within
        without through near around due starting pls plz thx asap whose tagged labelled labeled should
        will cc costing not except excluding against instead also showing only sorted ordered grouped can
        could no max min maximum minimum up includes including include exclude skip plus right now want
        need shorter longer cheaper bigger larger smaller more less fewer better higher lower rated priced
        dated directed written made who's that's it's they he she assigned located leaving departing
        arriving sort order wants needs prefers likes asks hopes till til"""
    ),
    "inner": word_set("""to in with for of on and or my by at from"""),
    "weak": word_set(
        """and for to that as on since by note about with of in at is from the into message text say says
        near task item summary title it details description reading find"""
    ),
    "polite": word_set("""please thanks thank pls plz thx cheers"""),
    "articles": word_set("""the a an my our your his her their some this that any these those is are was of as its"""),
    "links": word_set("""is to of as are should called named be = : that titled"""),
    "openers": word_set("""the in my our on for from to of a an at by with"""),
    "particles": word_set("""me us up out over off down back him her them for"""),
    "pronouns": word_set(
        """me it them him her us you i we they this that there here someone somebody everyone everybody anybody
        nobody somewhere anywhere anyone one ones something anything everything mine what who which people
        myself yourself"""
    ),
    "kinds": word_set(
        """task todo reminder ticket issue bug note event meeting appointment entry item request record
        report message email mail order booking reservation story case todo-item to-do memo"""
    ),
    "commands": word_set(
        """create hiring add make remind put insert open new file raise log set write schedule record submit
        register note enter start report save jot post remember give build prepare generate draft send block
        publish advertise announce notify         arrange organise organize"""
    ),
    # Words for the blanks of a form: they announce a value and are none.
    "blanks": word_set(
        """name number address phone date time day email mail place reason subject title trip journey id"""
    ),
    "containers": word_set(
        """list lists cart basket todo todos calendar agenda board backlog schedule planner queue inbox"""
    ),
    "verbs": word_set(
        """get show find search look looking tell list check see fetch display buy order purchase book
        reserve mail email transfer move pay wire delete remove cancel update change edit modify stop
        pause run play watch read listen translate convert calculate compute compare plot graph query
        count sum ping test verify scan fly go travel drive call text message invite assign close reopen
        complete mark finish rename copy upload download share attach print export import deploy restart
        reboot launch install configure enable disable turn switch increase decrease lower want need help
        explain describe summarize is are was does do did can could will has have who what when where why
        how which track monitor cook bake hire fire promote hear eat drink try learn study use speak talk
        discuss grep push pull ship sign enroll enrol back visit meet know be approve reject request apply
        refund return exchange renew subscribe unsubscribe rent lease sell quote estimate deliver pick
        drop deposit withdraw issue grant revoke plan arrange organize organise reply forward respond
        produce kick bring merge review notify alert inform trace lookup investigate inspect diagnose
        measure simulate ask prescribe admit discharge collect fetch needs wants gets goes comes leave depart arrive
        come bring take keep hold drop rent hire borrow lend claim file charge bill invoice ship post fit
        were been being had got getting having going coming leaving taking making looking searching stolen lost
        broken damaged affected informed reported blocking throws throwing shows showing returns returning fails
        failing works working happens happened included including borrow"""
    ),
}
PARTS_OF_SPEECH["verbs"] |= PARTS_OF_SPEECH["commands"]
