"""Words that carry little: those that say nothing of a thing or a deed, and the politeness around a request."""

from __future__ import annotations

from signalbox.language.words import word_set

__all__ = ["PADDING", "STOP"]

STOP: frozenset[str] = (
    word_set("""a an the this that these those my your our his her its their me i we you he she it they
    them us to of in on
    at for from by with about into over as and or but if so then also plus please pls plz can could would
    will shall should may might must do does did done is are was were be been being am doing have has had there
    here what which who whom whose when where why how not no yes ok okay just now some any all every each
    both few more most other another such only own same too very really quickly want need like know let lets
    let's i'd i'm i've what's whats it's that's there's hey hi hello thanks thank kindly up out off down
    again still get got give tell show one ones thing things via per than use using go going im id ive u ur
    gonna wanna gotta lemme gimme dont don't doesn't isn't something anything maybe perhaps much many quick
    real asap moment can't cannot won't couldn't yet ever already they're we're you're
    wasnt isnt arent werent didnt doesnt hasnt havent hadnt cant couldnt wont wouldnt wasn't aren't weren't didn't
    hasn't haven't hadn't wouldn't
    today tomorrow tonight yesterday currently current right must""")
)

PADDING: tuple[str, ...] = (
    r"(?:hey|hi|hello|yo|ok|okay|so|well|um|uh|hmm|right|alright|great|cool|nice|perfect|thanks|thank you|sorry|"
    r"hm+|oh no|oh dear|oops|whoops|aha?|good (?:morning|evening|afternoon)|dear \w+)(?: there| again| team)?"
    r"(?=[\s,!.:-])[\s,!.:-]*",
    r"(?:good|fine|lovely|brilliant|excellent|wonderful|super|splendid|yes|yeah|yep|sure)\s*[,.!:]+\s*",
    r"(?:please|pls|plz|kindly|just|quickly|quick|now|maybe|perhaps|actually|btw|fyi|also|and|then|after that|"
    r"afterwards|finally|firstly|secondly|lastly|oh|but|or rather|additionally|plus)\b[\s,]*",
    r"(?:first|second|next|next up|now then)\s*[,:]\s*",
    r"(?:can|could|would|will|may|might) (?:you|u|i|we|(?:some|any)(?:one|body))"
    r"(?: please| pls| kindly| maybe| possibly| just| quickly| also)*\s+",
    r"(?:would you mind|do you mind|is it possible to|any chance you (?:can|could)|are you able to|it "
    r"would be (?:great|nice|"
    r"lovely) if you (?:could|can|would)|i was wondering if you (?:could|can)|i wonder if you (?:could|can)|"
    r"be so (?:kind|nice|good)(?: as)?(?: to| and)|if you (?:could|can)|mind|how about|what about you)\s+",
    r"(?:i|we)(?:'d| would|d)? (?:want|like|love|need|wish|have|got)(?: you)?(?: to|2) (?!know\b)",
    r"(?:i'm|im|i am|we're|we are)(?: trying| going| looking| planning)(?: to) ",
    r"(?:you (?:should|must|need to|can|could)|let's|lets|let us|go ahead and|help me(?: to)?|i wanna|"
    r"wanna|gotta|need to|"
    r"want to|try to|make sure to|make sure you|don't forget to|be sure to|time to|remember to)\s+",
)
