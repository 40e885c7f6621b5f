"""Forms of English words that stemming cannot join, and pairs of everyday words that mean the same."""

from __future__ import annotations

from functools import cache

from .stemming import stem

__all__ = ["members", "variants"]

_IRREGULAR = """
am is are was were been being; arise arose arisen; awake awoke awoken; bear bore born; beat beaten; become
became; begin began begun start; bend bent; bet; bind bound; bite bit bitten; bleed bled; blow blew blown;
break broke broken; breed bred; bring brought; build built; burn burnt; buy bought purchase; catch caught;
choose chose chosen pick; come came; creep crept; deal dealt; dig dug; dive dove; do did done; draw drew
drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel
felt; fight fought; find found; flee fled; fly flew flown; forbid forbade forbidden; forget forgot
forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone;
grind ground; grow grew grown; hang hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt;
know knew known; lay laid; lead led; lean leant; leap leapt; learn learnt; leave left; lend lent; light lit;
lose lost; make made; mean meant; meet met; mow mown; pay paid; prove proven; quit; read; ride rode ridden;
ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; sew
sewn; shake shook shaken; shave shaven; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang
sung; sink sank sunk; sit sat; sleep slept; slide slid; smell smelt; sow sown; speak spoke spoken; spell
spelt; spend spent; spill spilt; spin spun; split; spoil spoilt; spread; spring sprang sprung; stand stood;
steal stole stolen; stick stuck; sting stung; strike struck; strive strove; swear swore sworn; sweep swept;
swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw
threw thrown; understand understood; wake woke woken; wear wore worn; weave wove woven; weep wept; win won;
wind wound; withdraw withdrew withdrawn; write wrote written; analysis analyses; child children kid; crisis
crises; foot feet; goose geese; half halves; knife knives; leaf leaves; life lives; loaf loaves; man men;
mouse mice; person people; shelf shelves; thief thieves; tooth teeth; wife wives; wolf wolves; woman women;
good better best; bad worse worst
"""
_ALIKE = """
apartment flat; autumn fall; bike bicycle; car vehicle; cat kitten kitty; colour color; company firm; dad
father; die died death dead; doctor physician; dog puppy pup; favourite favorite; film movie; football
soccer; friend buddy pal; game gaming; grandma grandmother; grandpa grandfather; gift present; gym workout
fitness; hobby pastime; holiday vacation; ill sick illness; job work career; kid child; marry married
marriage wedding; mobile phone; mom mother mum; neighbour neighbor; photo photograph picture pic; plane
flight; programme program; rent lease; restaurant diner; shop store; sister sibling; brother sibling; soda
pop; subway metro; trip travel journey; tv television; uni university college; volunteer volunteering
"""

# A question names the kind, a memory the thing: "which instruments" is answered by "my violin".
_KINDS = """
animal pet: dog cat puppy kitten bird parrot rabbit hamster turtle snake lizard fish horse
art artwork: painting drawing sketch sculpture pottery photography abstract canvas watercolor
author writer: book novel wrote writing
city: london paris rome berlin madrid barcelona york boston chicago seattle francisco angeles miami vegas
toronto vancouver tokyo beijing shanghai sydney dublin amsterdam
class course: lesson workshop pottery yoga dance cooking painting
color colour: red blue green yellow purple pink orange black white brown grey
country: france spain italy germany england uk ireland scotland greece sweden norway canada mexico brazil
japan china korea india thailand australia turkey
dessert: cake pie cookie cupcake brownie pudding tart cream chocolate
disease illness: cancer flu diabetes asthma arthritis
drink: coffee tea wine beer juice soda smoothie
european: france spain italy germany england ireland scotland greece sweden norway
event: concert festival parade conference fair exhibition meeting show ceremony gala fundraiser
exercise workout: running jogging yoga weight lifting swimming cycling pilates boxing hiking
family: husband wife son daughter mother father brother sister kid
food dish meal: pizza pasta salad soup steak chicken sushi burger sandwich curry rice
furniture: sofa couch chair table desk bed lamp
game: chess puzzle nintendo playstation xbox strategy tournament
gift: necklace ring bracelet watch flowers
health: doctor hospital diagnosis therapy medication surgery
hobby: painting reading writing gardening photography fishing cooking baking hiking knitting
instrument: guitar piano violin drum flute clarinet saxophone cello trumpet
language: english spanish french german italian chinese japanese korean
martial: karate judo taekwondo kickboxing boxing jiu kung
movie: comedy drama thriller horror romance action trilogy
music: concert song band album violin guitar jazz rock pop
outdoor: hiking camping kayaking climbing fishing surfing skiing biking
plant flower: rose tulip lily sunflower orchid succulent
relative: cousin aunt uncle nephew niece grandma grandpa
season: spring summer autumn winter
sport: soccer football basketball tennis baseball hockey golf volleyball swimming skiing surfing
state: california texas florida oregon washington colorado
subject: math history science physics biology chemistry literature
vehicle: car truck motorcycle bike van
water: beach lake river ocean pool surfing swimming
"""


@cache
def _kinds() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    names: list[str] = []
    for line in _KINDS.strip().split("\n"):
        before, colon, things = line.rpartition(":")
        names = before.split() if colon else names  # a line without a colon goes on with the one before
        for name in names:
            found[stem(name)] = (*found.get(stem(name), ()), *things.split())
    return found


def members(word: str) -> tuple[str, ...]:
    """Everyday things of the kind that a word names."""
    return _kinds().get(stem(word), ())


@cache
def _groups() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in f"{_IRREGULAR};{_ALIKE}".split(";"):
        words = group.split()
        for word in words:
            others = (other for other in words if stem(other) != stem(word))
            found.setdefault(stem(word), {}).update(dict.fromkeys(others))
    return {key: tuple(others) for key, others in found.items()}


def variants(word: str) -> tuple[str, ...]:
    """Words to look for as well, as they are written."""
    return _groups().get(stem(word), ())
