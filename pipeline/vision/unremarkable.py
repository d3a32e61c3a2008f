"""Names of things that are always about, and whose coming nobody wants to hear of: furniture, vehicles, clothes."""

# A name is looked for as a whole and by its last word: "dining table" is a table. In the words of COCO and ImageNet.
FURNITURE = frozenset(
    (
        "armchair", "bannister", "bed", "bench", "bookcase", "bookshelf", "bureau", "cabinet", "carpet", "chair",
        "chest", "chiffonier", "closet", "couch", "counter", "cradle", "crib", "cupboard", "curtain", "desk",
        "dishwasher", "door", "doormat", "entertainment center", "fan", "fireplace", "lamp", "lampshade", "microwave",
        "mirror", "mosquito net", "oven", "pedestal", "pillow", "plant", "plate rack", "pot", "quilt", "radiator",
        "refrigerator", "rug", "screen", "shade", "shelf", "shoji", "sink", "sofa", "stool", "stove", "studio couch",
        "table", "throne", "toilet", "tub", "vase", "wall clock", "wardrobe", "washbasin", "washer", "window",
    )
)  # fmt: skip
DESK = frozenset(  # what stands on one
    (
        "computer", "desktop", "joystick", "keyboard", "keypad", "laptop", "loudspeaker", "microphone", "modem",
        "monitor", "mouse", "mousepad", "notebook computer", "printer", "projector", "speaker", "television", "tv",
    )
)  # fmt: skip
VEHICLES = frozenset(
    (
        "airliner", "airplane", "airship", "ambulance", "barrow", "bicycle", "bike", "boat", "bus", "cab", "canoe",
        "car", "cart", "catamaran", "convertible", "engine", "ferry", "fireboat", "forklift", "garbage truck",
        "go-kart", "gondola", "jeep", "lifeboat", "limousine", "liner", "locomotive", "minibus", "minivan", "moped",
        "motorcycle", "pickup", "plane", "racer", "rickshaw", "schooner", "scooter", "ship", "snowmobile", "snowplow",
        "speedboat", "streetcar", "submarine", "tank", "taxi", "tractor", "trailer", "train", "tram", "trimaran",
        "trolleybus", "truck", "unicycle", "van", "wagon", "warplane", "wreck", "yawl",
    )
)  # fmt: skip
CLOTHES = frozenset(
    (
        "abaya", "apron", "backpack", "bag", "bathing cap", "belt", "bib", "bikini", "bonnet", "boot", "bow tie",
        "brassiere", "cap", "cardigan", "cloak", "clog", "clothes", "coat", "cowboy hat", "diaper", "dress",
        "earphone", "eyeglasses", "fur coat", "glasses", "glove", "gown", "hair slide", "handbag", "hat",
        "headphones", "helmet", "hoopskirt", "jacket", "jean", "jeans", "jersey", "kimono", "loafer", "maillot",
        "mask", "miniskirt", "mitten", "necklace", "neck brace", "necktie", "overskirt", "pajama", "pajamas",
        "poncho", "purse", "robe", "running shoe", "sandal", "sarong", "scarf", "shirt", "shoe", "shorts", "sock",
        "sombrero", "stole", "suit", "sunglass", "sunglasses", "sweater", "sweatshirt", "swimming trunks", "t-shirt",
        "tie", "trench coat", "trousers", "uniform", "vest", "vestment", "watch", "wig", "windsor tie", "wool",
    )
)  # fmt: skip
SURROUNDINGS = frozenset(  # buildings, streets and landscapes, and a page or a screen as such
    (
        "alp", "barn", "beach", "bridge", "building", "church", "cliff", "comic book", "dam", "fence", "grocery store",
        "hydrant", "lakeside", "library", "light", "menu", "meter", "mountain", "palace", "pole", "restaurant", "roof",
        "seashore", "shop", "sign", "stage", "store", "theater", "tower", "valley", "volcano", "wall", "web site",
        "website",
    )
)  # fmt: skip

UNREMARKABLE = FURNITURE | DESK | VEHICLES | CLOTHES | SURROUNDINGS


def is_unremarkable(name: str) -> bool:
    """Tells whether a thing of that name is worth no remark."""
    name = name.lower()
    return name in UNREMARKABLE or name.split(" ")[-1] in UNREMARKABLE
