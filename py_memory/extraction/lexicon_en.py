"""English words by what they say about a person: relatives, pets, jobs, illnesses, diets, languages, events."""

# ruff: noqa: E501 -- a table is one line

from __future__ import annotations

import re

from .clauses import words

__all__ = [
    "DIETS",
    "DIGIT_OR_WORD",
    "EVENTS",
    "FIELDS",
    "ILLNESSES",
    "JOB",
    "LANGUAGES",
    "NOT_NAMES",
    "NOT_PLACES",
    "PETS",
    "PLURALS",
    "RELATIVES",
    "UNPLEASANT",
    "WHEN",
]


def _table(*rows: str) -> dict[str, str]:
    """“mother: mom mum” makes every word, the first included, mean the first."""
    out: dict[str, str] = {}
    for row in rows:
        key, _, rest = row.partition(":")
        out |= {word.replace("_", " "): key for word in (key, *rest.split())}
    return out


RELATIVES = _table(
    "daughter: girl baby_girl little_girl",
    "son: boy lad baby_boy little_boy",
    "child: kid baby toddler little_one youngest eldest oldest firstborn newborn",
    "wife: wifey missus",
    "husband: hubby",
    "partner: fella other_half better_half",
    "spouse:",
    "girlfriend: gf",
    "boyfriend: bf",
    "fiance: fiancé fiancée fiancee",
    "mother: mom mum mama mam mommy mummy",
    "father: dad papa daddy",
    "sister: sis",
    "brother: bro",
    "grandmother: grandma granny nana gran nan oma abuela nonna lola babcia yiayia halmoni 奶奶 外婆 姥姥",
    "grandfather: grandpa grandad granddad opa abuelo",
    "grandson:",
    "granddaughter:",
    "aunt: auntie",
    "uncle:",
    "cousin:",
    "niece:",
    "nephew:",
    "mother-in-law: mother_in_law mil",
    "father-in-law: father_in_law fil",
    "sister-in-law: sister_in_law sil",
    "brother-in-law: brother_in_law bil",
    "daughter-in-law: daughter_in_law",
    "son-in-law: son_in_law",
    "stepson:",
    "stepdaughter:",
    "stepmother: stepmum stepmom",
    "stepfather: stepdad",
    "godson:",
    "goddaughter:",
)
PETS = _table(
    "dog: puppy whippet pup doggo pooch labrador lab poodle corgi husky beagle dachshund terrier spaniel retriever collie bulldog "
    "pug rottweiler doberman schnauzer maltese samoyed akita pointer setter bichon cockapoo labradoodle cavapoo weimaraner malamute vizsla yorkie mastiff lurcher greyhound chihuahua shepherd mutt",
    "cat: kitten kitty tabby tomcat ragdoll siamese",
    "parrot: cockatiel budgie parakeet cockatoo macaw",
    "rabbit: bunny",
    "hamster:",
    "horse: pony mare gelding",
    "turtle:",
    "tortoise:",
    "bird: canary finch",
    "fish: goldfish",
    "guinea-pig: guinea_pig",
    "gecko:",
    "snake:",
    "lizard: iguana",
    "ferret:",
    "rat:",
    "goat:",
    "chicken: hen",
    "hedgehog:",
)
PLURALS = _table(
    "daughter: daughters girls",
    "son: sons boys",
    "child: children kids babies toddlers little_ones twins triplets",
    "sister: sisters",
    "brother: brothers",
    "grandchild: grandchildren grandkids",
    "dog: dogs puppies pups labs corgis",
    "cat: cats kittens kitties",
    "rabbit: rabbits bunnies",
    "parrot: parrots budgies",
    "hamster: hamsters",
    "horse: horses ponies",
    "guinea-pig: guinea_pigs",
    "goat: goats",
    "chicken: chickens hens",
    "rat: rats",
    "ferret: ferrets",
    "turtle: turtles",
)
PLURALS |= {f"{word}s": key for word, key in PETS.items() if not word.endswith(("s", "y", "fish"))}
PLURALS = {word: key for word, key in PLURALS.items() if word != key}
LANGUAGES = words(
    "English French German Spanish Portuguese Italian Dutch Polish Russian Ukrainian Czech Slovak Hungarian Romanian Bulgarian Serbian "
    "Croatian Greek Turkish Arabic Hebrew Persian Farsi Urdu Hindi Bengali Punjabi Tamil Telugu Marathi Gujarati Nepali Sinhala "
    "Chinese Mandarin Cantonese Japanese Korean Vietnamese Thai Indonesian Malay Tagalog Swahili Yoruba Igbo Hausa Zulu Amharic "
    "Somali Afrikaans Swedish Norwegian Danish Finnish Icelandic Irish Welsh Gaelic Catalan Basque Galician Latin Esperanto Estonian "
    "Latvian Lithuanian Slovenian Albanian Georgian Armenian Kazakh Mongolian Burmese Khmer Lao Hokkien Shanghainese Filipino Twi 中文 英文 日语 法语"
)
NOT_NAMES = frozenset(
    words(
        """I Sorry Happy Sad Tired Fine Good Great OK Ok Okay Here Back Not Sure Just Very So Really Also Going Still Now Done Ready
        Afraid Busy Home IT HR QA PM CEO CTO CFO COO VP ADHD OCD HIV PhD TV AI UI UX SEO ESL Team Slack Windows Mac Linux Android iOS
        American British Indian Canadian Australian Russian Scottish Swiss Brazilian Mexican European Asian African Austrian Belgian
        Argentinian Colombian Nigerian Kenyan Ghanaian Egyptian Moroccan Iranian Pakistani Israeli Chilean Peruvian Cuban Singaporean
        Taiwanese Christian Muslim Jewish Buddhist Hindu Catholic Orthodox Sikh Atheist Protestant Gemini Virgo Libra Scorpio Aries
        Taurus Cancer Pisces Capricorn Aquarius Sagittarius Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February
        March July September October November December Spring Summer Autumn Winter Christmas Easter Yes No What
        Who Why When Where How The A An My Our Your His Her Their This That It He She They We You And But Or If Celiac Coeliac Vegan
        Vegetarian Gen Gay Pro Batman Superman Spiderman Santa God Jesus Napoleon Cleopatra Sherlock Hamlet Zeus Dracula Groot Ironman Spartacus Bond Ishmael Neo Gandalf Frodo Yoda Vader Hodor Legend Iron
        Then Because About Right Maybe Exactly Absolutely Definitely Currently Currently Actually Never Always Sometimes Looking Trying
        Working Living Studying Getting Feeling Thinking Left Based Born Raised Married Single Divorced Pregnant Dying Lost Late Early
        Thanks Thank Please Hello Hi Hey Dear Mr Mrs Ms Dr Miss Sir Madam All Both Glad Bored Sick Hungry Excited Proud Curious Confused"""
    )
) | frozenset(word for word in LANGUAGES if word.isascii())
NOT_PLACES = frozenset(
    words(
        """fear jeans hope denial pain peace constant my the a an this that these our your their his her it me sin style limbo chaos
        debt luxury poverty dread anticipation general particular fact love trouble bed front between hell heaven one two three four
        hotels pyjamas pajamas sweatpants leggings awe hiding exile captivity squalor comfort harmony isolation anger regret shame
        Section Chapter Figma Word PowerPoint Photoshop Notion React GitHub Discord Line Part Table Row Column Step Unity Blender Outlook
        Teams Zoom Gmail Sheets Docs Support Sales Marketing Accounts Hell Heaven Space Eden Limbo Reddit Twitter TikTok Minecraft Skyrim
        Fear Hope Excel Slack Vim Python Java IT HR Jira January February March April May June July August September October November
        December Monday Tuesday Wednesday Thursday Friday Saturday Sunday I Mars Narnia Hogwarts Neverland Tortuga Wakanda Atlantis"""
    )
) | frozenset(LANGUAGES)
DIETS = (
    r"vegetarian|vegan|pescatarian|pescetarian|flexitarian|lacto-vegetarian|ovo-vegetarian|veggie|gluten[- ]free|dairy[- ]free"
    r"|sugar[- ]free|halal|kosher|keto|paleo|low[- ]carb|low[- ]fodmap|plant[- ]based|meat[- ]free|teetotal(?:ler|er)?|raw vegan|jain|fruitarian|carnivore"
)
ILLNESSES = (
    r"(?:(?:type|stage) ?(?:1|2|one|two|I|II)b? )?diabetes|asthma|co?eliac disease|migraines?|epilepsy|arthritis|rheumatoid arthritis|osteoarthritis|eczema"
    r"|psoriasis|rosacea|(?:high|low) blood pressure|hypertension|high cholesterol|ADHD|ADD|OCD|PTSD|autism|asperger'?s|dyslexia"
    r"|dyscalculia|depression|anxiety|bipolar(?: disorder)?|insomnia|sleep apn(?:o)?ea|narcolepsy|tinnitus|vertigo|gout|IBS|IBD"
    r"|crohn'?s(?: disease)?|(?:ulcerative )?colitis|endometriosis|PCOS|lupus|fibromyalgia|multiple sclerosis|MS|parkinson'?s(?: disease)?|dementia|alzheimer'?s(?: disease)?|down'?s syndrome|hemophilia|hiatal hernia|hernia|celiac"
    r"|an[a]?emia|h[a]?emophilia|(?:hypo|hyper)thyroidism|(?:an? )?(?:under|over)active thyroid|(?:an? )?(?:thyroid|heart|kidney|liver|back|knee|autoimmune|hearing) (?:condition|disease|disorder|problem|problems|issues|loss)"
    r"|hashimoto'?s|acid reflux|GERD|glaucoma|cataracts|scoliosis|sciatica|cancer|COPD|HIV|cystic fibrosis|chronic (?:\w+ ){0,2}(?:pain|fatigue|disease|syndrome)"
    r"|(?:an? )?(?:bad|weak|herniated|slipped) (?:back|knees?|hip|shoulder|disc|heart)|an? pacemaker|a prosthetic \w+|hay ?fever|face blindness|colou?r[- ]blindness"
)
FIELDS = (
    r"finance|marketing|IT|HR|human resources|sales|education|healthcare|health care|hospitality|logistics|construction|advertising|publishing"
    r"|insurance|retail|tech|tourism|film|television|TV|journalism|law|accounting|consulting|biotech|pharma|agriculture|banking|real estate"
    r"|cybersecurity|customer (?:service|support)|social (?:work|care)|public health|data science|web design|game development|catering|security|forestry|PR"
)
# -- jobs: the last word of a job's name --
_JOB_WORDS = words(
    """nurse midwife chef cook pilot architect surgeon mechanic paramedic vet clerk cashier barista waiter waitress soldier teacher
    professor actor actress author editor translator interpreter director analyst scientist artist journalist dentist therapist
    physiotherapist pharmacist psychologist psychiatrist biologist chemist physicist economist musician technician electrician
    librarian physician politician accountant assistant consultant lawyer attorney solicitor barrister judge paralegal writer copywriter
    manager researcher driver farmer baker photographer videographer plumber carpenter joiner lecturer officer worker doctor engineer
    developer dev programmer coder designer illustrator animator firefighter fireman policeman policewoman postwoman postie milkman handyman cameraman camerawoman businessman businesswoman craftsman seaman cop freelancer entrepreneur
    founder co-founder veterinarian seamstress tailor florist gardener landscaper butcher fisherman brewer bartender sommelier hairdresser
    hairstylist stylist barber beautician masseuse masseur trainer coach instructor tutor principal headteacher headmaster dean nanny au-pair
    babysitter childminder caregiver carer homemaker housewife househusband stay-at-home-mom stay-at-home-dad mom dad parent secretary receptionist administrator
    recruiter salesman saleswoman salesperson realtor broker banker teller trader auditor actuary statistician mathematician geologist
    astronomer astronaut archaeologist historian philosopher linguist sociologist anthropologist geographer meteorologist botanist zoologist
    neurologist cardiologist dermatologist radiologist pediatrician paediatrician anesthesiologist anaesthetist gynecologist optometrist
    optician audiologist radiographer sonographer dietitian nutritionist chiropractor osteopath acupuncturist counselor counsellor
    psychotherapist sailor captain skipper steward stewardess courier postman mailman janitor cleaner caretaker housekeeper porter guard
    detective inspector diplomat ambassador priest pastor imam rabbi monk nun chaplain minister mayor councillor composer conductor
    pianist violinist cellist guitarist drummer singer dancer choreographer sculptor painter potter ceramicist goldsmith jeweller jeweler
    blacksmith welder machinist roofer bricklayer mason plasterer glazier surveyor foreman builder contractor operator dispatcher
    controller planner strategist marketer producer filmmaker cinematographer screenwriter novelist poet blogger youtuber streamer
    influencer podcaster reporter columnist publisher curator archivist conservator intern apprentice trainee student postdoc undergrad
    graduate scholar sysadmin admin DBA devops tester architect scrum-master CEO CTO CFO COO VP owner shopkeeper grocer merchant
    miner forester ranger shepherd beekeeper winemaker cheesemaker truck-driver trucker cabbie conductor signaller machinist stagehand
    costumer bookkeeper bookseller tattooist undertaker mortician locksmith watchmaker upholsterer dressmaker sociologist epidemiologist
    microbiologist geneticist biochemist oceanographer ecologist agronomist veterinary-nurse lifeguard referee jockey athlete footballer
    cyclist swimmer runner-up bus-driver tram-driver crew specialist representative executive supervisor coordinator consultant associate
    partner superintendent fellow technologist hygienist pathologist oncologist radiotherapist orthodontist osteopath doula sonologist"""
)
_NO_JOB = "mom|dad|parent|partner|fellow|graduate|runner-up|swimmer|cyclist"
_JOB_ENDS = "|".join(
    sorted({word for word in _JOB_WORDS if word not in _NO_JOB.split("|")}, key=len, reverse=True)
)
JOB = (
    rf"(?:(?!(?:not|no|never|and|or|than|like|good|bad|terrible|great|better|horrible|awful|lousy|slow|fast|big|huge|different|real|proud|decent|total|complete|former|ex)\b)"
    rf"[\w'/&.-]+ ){{0,4}}(?:{_JOB_ENDS}|stay[- ]at[- ]home (?:mom|mum|dad|parent)|ground crew|cabin crew|head of [\w' ]{{2,30}}?|member of parliament)"
)
UNPLEASANT = re.compile(
    r"\b(?:traffic|monday(?:s| mornings?)|stuck|cancell?ed|cancell?ations?|deadlines|tax(?:es)?|waiting|delays?|delayed|queu(?:es|ing)|overtime|layoffs|paperwork"
    r"|spam|bugs|meetings|getting (?:yelled|shouted|rained)|being (?:ignored|yelled|woken|stuck|late|broke|fired|sick)|hold music|migraines|hangovers|when)\b",
    re.IGNORECASE,
)
EVENTS = (
    r"appointment|appt|interview|exam|exams|test|meeting|flight|train|wedding|dentist|doctor|doctor's|GP|physio|physiotherapist|therapist|therapy|optician"
    r"|check-?up|surgery|operation|concert|recital|rehearsal|audition|party|dinner|lunch|brunch|date|conference|presentation|hearing|viewing|haircut"
    r"|hairdresser|graduation|funeral|reunion|vet|parents?'? evening|parent-teacher \w+|school play|class|lesson|workshop|webinar|game|match|marathon|race"
    r"|trip|scan|ultrasound|blood test|vaccination|vaccine|jab|MRI|x-ray|closing|move-in|anniversary|baptism|christening|ceremony|call|review|thesis defen[cs]e"
    r"|deadline|picnic|barbecue|bbq|book club|choir|shift|orthodontist|cardiologist|driving theory|theory test|dermatologist|oncologist|pediatrician|paediatrician|gynaecologist|court date|inspection|ferry|bus|court|MOT|sports day|open day|mammogram|smear|root canal|filling|colonoscopy|endoscopy|biopsy|chemo|dialysis|induction|tattoo|photoshoot|prom|gig|festival|housewarming|baby shower|hen do|stag do|bar mitzvah|bat mitzvah|quinceañera|work do|offsite|standup|demo|keynote|talk|panel|visa"
)
_DAY = r"(?:mon|tues?|wednes|wed|thurs?|fri|satur|sat|sun)(?:day)?s?"
_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|ember|tember|ober)?"
)
WHEN = (
    rf"(?:tomorrow|tmrw|tmr|2moro|tonight|today|day after tomorrow|this (?:afternoon|evening|weekend)|(?:on |next |this |this coming |coming )+{_DAY}\b|\b{_DAY} (?:at|morning|afternoon|evening|night|\d{{1,2}}(?:[:.]\d\d|th|st|nd|rd| ?[ap]m))"
    rf"|(?:on|by|for|to) the \d{{1,2}}(?:st|nd|rd|th)|(?:on )?(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b|(?:on )?\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?|next (?:week|month|spring|summer|autumn|fall|winter|January|February|March|April|May|June|July|August|September|October|November|December)"
    r"|in (?:\d+|an?|two|three|four|five|six) (?:hours?|days?|weeks?)|on \d{1,2}[/.]\d{1,2}|at (?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?|noon|midnight)\b)"
)
_ONES = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
DIGIT_OR_WORD = rf"(?:\d{{1,3}}|(?:{_TENS})(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|{_ONES})"
