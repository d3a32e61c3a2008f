"""What people call the kinds that the two models know: breeds and synonyms become one plain noun. Pure."""

from collections.abc import Iterable

PERSON = "person"

# COCO's 80 kinds, in the order of the detector.
_COCO = """
person bicycle car motorcycle airplane bus train truck boat traffic_light fire_hydrant stop_sign parking_meter bench
bird cat dog horse sheep cow elephant bear zebra giraffe backpack umbrella handbag tie suitcase frisbee skis snowboard
ball kite baseball_bat baseball_glove skateboard surfboard tennis_racket bottle wine_glass cup fork knife spoon bowl
banana apple sandwich orange broccoli carrot hot_dog pizza donut cake chair couch plant bed table toilet screen laptop
computer_mouse remote_control keyboard phone microwave oven toaster sink refrigerator book clock vase scissors
teddy_bear hair_dryer toothbrush
"""

# A noun, and the numbers of ImageNet's labels that mean it; every other label is its own noun.
_LABELS = """
fish: 0 389 391-397 | goldfish: 1 | shark: 2-4 | ray: 5-6 | rooster: 7 | hen: 8 | ostrich: 9 | eagle: 22 | owl: 24 |
bird: 10-21 80-83 85-86 91-93 95 129 134-143 146 | parrot: 87-90 | duck: 97-98 | swan: 100 | stork: 127-128 | heron:
131-133 | penguin: 145 | salamander: 25-29 | frog: 30-32 | turtle: 33-37 | lizard: 38-48 | crocodile: 49-50 |
dinosaur: 51 | snake: 52-68 | spider: 70 72-77 | elephant: 101 385-386 | kangaroo: 104 | slug: 114-115 | shell: 112
117 | crab: 118-121 125 | lobster: 122-124 | whale: 147-148 | dog: 151-268 273-275 | wolf: 269-272 | fox: 277-280 |
cat: 281-285 | leopard: 288-290 | bear: 294-297 | beetle: 300 302-307 | butterfly: 321-326 | dragonfly: 319-320 |
rabbit: 330-332 | squirrel: 335 | horse: 339 | pig: 341 | wild boar: 342-343 | hippo: 344 | cow: 345 | buffalo:
346-347 | sheep: 348-349 | goat: 350 | antelope: 351-353 | camel: 354 | weasel: 356-359 | sloth: 364 | monkey: 369-371
373-382 | lemur: 383-384 | red panda: 387 | panda: 388 | airplane: 404 726 895 | trash can: 412 | pen: 418 563 |
barbell: 422 543 | car: 436 511 661 751 817 | taxi: 468 | van: 656 675 | bus: 654 779 874 | truck: 569 717 864 867 |
fire engine: 555 | train: 466 547 565 705 820 | tram: 829 | police car: 734 | ship: 403 510 628 724 780 | boat: 554
625 814 | sailboat: 484 871 914 | motorcycle: 665 670 | bicycle: 444 671 | handbag: 636 748 | bench: 703 | church: 497
663 | bottle: 440 720 737 898 907 | jug: 725 899 901 | glass of beer: 441 | glass of wine: 966 | cup of coffee: 967 |
mug: 504 | bowl: 659 809 | pot: 469 521 544 | pan: 567 | knife: 499 623 | spoon: 618 910 | clock: 409 530 892 | watch:
531 826 | screen: 664 782 851 | computer: 527 | laptop: 620 681 | keyboard: 508 878 | telephone: 528 707 | phone: 487
590 | remote control: 761 | page of text: 916 922 | book: 921 | bookshelf: 453 454 624 | sign: 919 | chair: 423 559
765 857 | couch: 831 | bed: 564 | cradle: 431 516 520 | table: 532 | cabinet: 493 495 894 | sink: 896 | toilet: 861 |
toilet paper: 999 | lamp: 619 846 | guitar: 402 546 | piano: 579 881 | trumpet: 513 | saxophone: 776 | drum: 541 822 |
hat: 439 452 515 808 | helmet: 518 560 715 | sunglasses: 836-837 | boot: 514 | shoe: 502 630 770 | shirt: 610 841 |
coat: 568 617 869 | tie: 451 906 | sweater: 474 | jeans: 608 | dress: 578 601 689 | scarf: 824 | gloves: 658 | camera:
732 759 | ball: 722 | mushroom: 947 992-997 | flower: 984 986 | plant: 580 738 | corn: 987 998 | squash: 940-942 |
cabbage: 936 | bread: 930 | hamburger: 933 | hot dog: 934 | pepper: 945 | apple: 948 | pumpkin: 607 | soup: 925-926 |
ice cream: 928-929 | pasta: 959 | mountain: 970 | beach: 977-978 | cliff: 972 976 | lake: 975 | bridge: 821 839 888 |
box: 478 492 519 | basket: 588 790 | teddy bear: 850 | curtain: 794 854 905 | lock: 507 695 | rifle: 413 764 | pistol:
763 | axe: 596 | rocket: 657 744 | match: 644 | fan: 545 | washing machine: 897 | computer mouse: 673 | cup: 968 |
pineapple: 953
"""

# A noun, and those that are a kind of it: what is said where nobody can tell which.
_KINDS = """
bird: rooster hen ostrich eagle vulture owl peacock parrot hummingbird toucan duck goose swan stork flamingo heron
pelican penguin | dog: wolf fox | cat: lynx | car: taxi jeep limousine van police_car minivan | truck: fire_engine |
train: tram | boat: ship sailboat canoe gondola | bicycle: tricycle unicycle | bottle: jug water_jug | fish: goldfish
shark | cup: mug cup_of_coffee glass_of_beer measuring_cup | wine glass: glass_of_wine goblet | clock: watch | phone:
telephone | screen: laptop computer | book: comic_book page_of_text | ball: soccer_ball basketball baseball
tennis_ball golf_ball volleyball rugby_ball croquet_ball | plant: flower daisy | monkey: baboon gorilla chimpanzee
orangutan gibbon marmoset | sandwich: hamburger | handbag: backpack | hat: helmet | tie: bow_tie | bowl: pot wok pan |
tennis racket: racket | building: church palace castle barn mosque monastery cinema boathouse bell_cote greenhouse
planetarium dome restaurant
"""

# Numbers of labels that are never said: people, their bodies, illness, faith, and what is worn next to the skin;
# and cloth, parts of things and insides of shops, which the classifier sees in any blur.
_UNSAID = """
399 400 411 416 419 424 433 434 435 443 445 456 458 459 464 465 467 475 481 489 490 491 501 509 523 524 529 533 535
549 551 553 556 570 581 582 583 584 585 591 597 600 602 614 615 616 629 631 638 639 640 643 652 655 669 678 680
691 692 696 697 700 702 706 708 716 728 733 735 741 742 743 750 753 758 771 775 777 781 787 788 793 796 797 799 806
807 815 818 825 828 832 840 842 843 844 848 853 855 858 860 862 865 876 882 884 885 887 902 903 904 908 911 912 913
920 971 974 981 982 983
"""

# What is worn: it is said where nobody is in the picture who wears it.
_WORN = """
hat helmet sunglasses shirt coat suit tie bow_tie sweater apron jeans dress scarf necklace gloves shoe boot sandal cloak
"""


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _numbers(text: str) -> Iterable[int]:
    """Numbers and ranges, such as `0 389 391-397`."""
    for each in text.split():
        first, _, last = each.partition("-")
        yield from range(int(first), int(last or first) + 1)


def _table(text: str) -> list[tuple[str, str]]:
    return [(" ".join(name.split()), what) for name, _, what in (each.partition(":") for each in text.split("|"))]


COCO = tuple(map(_spaced, _COCO.split()))
NOUNS = {number: noun for noun, numbers in _table(_LABELS) for number in _numbers(numbers)}
KINDS = {_spaced(noun): kind for kind, nouns in _table(_KINDS) for noun in nouns.split()}
UNSAID = frozenset(_numbers(_UNSAID))
WORN = frozenset(map(_spaced, _WORN.split()))
ANIMALS = 398  # the labels before this one are of animals


def kind_of(noun: str) -> str:
    """What it is a kind of; itself, if it is nothing more special."""
    return KINDS.get(noun, noun)


def noun_of(number: int, label: str) -> str:
    """What people call a label of ImageNet, by its number; empty if it is never said."""
    return "" if number in UNSAID else NOUNS.get(number, label)
