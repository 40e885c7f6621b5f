"""What is said in the soak: word lists of both languages, and what each scenario chats about."""
# ruff: noqa: E501 -- tables of words

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SCENARIOS", "WORDS", "Words"]


@dataclass(frozen=True)
class Words:
    things: list[str]
    places: list[str]
    people: list[str]
    duties: list[str]
    homes: list[str]
    topics: list[str]
    tasks: list[tuple[str, str]]  # what to do, and how its end is told
    place: str
    where: str
    person: str
    who: str
    home: str
    where_home: str
    decided: str
    what_decided: str
    remind: str
    left: str
    yes: str


def _list(text: str) -> list[str]:
    return [" ".join(item.split()) for item in text.split(",")]


_EN = Words(
    things=_list("""
        spare key, projector cable, sewing kit, passport folder, bicycle pump, camping stove, violin bow,
        garden hose, fuse box, wine opener, chess clock, laminator, thermos flask, snow shovel, tax binder,
        guest towels, picnic blanket, soldering iron, tent poles, label printer, first aid box, waffle maker,
        tripod, yoga mat, air mattress, paint roller, coffee grinder, drawing board, ironing board, tool belt,
        telescope, fishing rod, sleeping bag, power drill, photo album, piano stool
    """),
    places=_list("""
        hall cupboard, blue tin, attic trunk, cellar shelf, bottom drawer, garage loft, green suitcase,
        laundry basket, bread bin, wicker chest, desk tray, broom closet
    """),
    people=_list("""
        Tomas, Ingrid, Priya, Marcel, Yusuf, Helena, Bruno, Saoirse, Dmitri, Amara, Kenji, Lucia, Oskar,
        Fatima, Gareth, Noor
    """),
    duties=_list("""
        orders the firewood, waters the orchids, keeps the minutes, tunes the organ, drives the minibus,
        bakes the flatbread, repairs the bikes, feeds the goats, prints the leaflets, books the hall
    """),
    homes=_list("Leeds, Ghent, Porto, Turku, Graz, Cork, Basel, Lund"),
    topics=_list("""
        rent the barn, paint the fence, hire a caterer, buy the trailer, plant walnut trees, sell the canoe,
        join the co-op, replace the boiler, skip the fair, adopt a greyhound
    """),
    tasks=[
        ("call the plumber", "I called the plumber."),
        ("renew the insurance", "I renewed the insurance."),
        ("return the ladder", "I returned the ladder."),
        ("book the ferry", "I booked the ferry."),
        ("order the seeds", "I ordered the seeds."),
        ("mail the contract", "I mailed the contract."),
        ("wash the curtains", "I washed the curtains."),
        ("pay the invoice", "I paid the invoice."),
    ],
    place="Remember that the {thing} is in the {place}.",
    where="Where is the {thing}?",
    person="Remember that {person} {duty}.",
    who="What does {person} do?",
    home="Remember that I live in {home}.",
    where_home="Where do I live?",
    decided="We decided to {topic}.",
    what_decided="What did we decide: to {topic}?",
    remind="Remind me to {task}.",
    left="What is left to do?",
    yes="yes",
)

_ZH = Words(
    things=_list("""
        备用钥匙, 投影仪, 针线盒, 护照夹, 打气筒, 卡式炉, 小提琴弓, 浇花水管, 电表箱, 开瓶器, 象棋钟, 塑封机,
        保温壶, 雪铲, 报税文件, 客用毛巾, 野餐垫, 电烙铁, 帐篷杆, 标签机, 急救箱, 华夫饼机, 三脚架, 瑜伽垫,
        充气床, 油漆滚筒, 磨豆机, 画板, 熨衣板, 望远镜, 钓鱼竿, 睡袋, 电钻, 相册, 琴凳, 缝纫机
    """),
    places=_list("""
        门厅柜子里, 蓝色铁盒里, 阁楼木箱里, 地下室架子上, 最下面抽屉里, 车库隔层里, 绿色行李箱里, 洗衣篮里,
        面包箱里, 藤编筐里, 书桌托盘里, 杂物间里
    """),
    people=_list("""
        陈师傅, 林阿姨, 赵老师, 孙会计, 周大夫, 吴教练, 郑厨师, 冯编辑, 蒋经理, 沈律师, 韩工程师, 杨导游, 朱园丁,
        秦木匠, 许司机, 何店长
    """),
    duties=_list("""
        负责订柴火, 负责浇兰花, 负责写会议记录, 负责给风琴调音, 负责开中巴, 负责烤大饼, 负责修自行车, 负责喂山羊,
        负责印传单, 负责订礼堂
    """),
    homes=_list("苏州, 扬州, 泉州, 大理, 洛阳, 桂林, 烟台, 绍兴"),
    topics=_list("""
        租下谷仓, 粉刷围栏, 请个厨师, 买辆拖车, 种核桃树, 卖掉皮划艇, 加入合作社, 更换锅炉, 不去庙会, 领养灵缇犬
    """),
    tasks=[
        ("给水管工打电话", "给水管工打电话做完了。"),
        ("续保险", "续保险做完了。"),
        ("归还梯子", "归还梯子做完了。"),
        ("预订船票", "预订船票做完了。"),
        ("订购种子", "订购种子做完了。"),
        ("邮寄合同", "邮寄合同做完了。"),
        ("清洗窗帘", "清洗窗帘做完了。"),
        ("支付发票", "支付发票做完了。"),
    ],
    place="记住{thing}放在{place}。",
    where="{thing}放在哪里？",
    person="记住{person}{duty}。",
    who="{person}负责什么？",
    home="记住我住在{home}。",
    where_home="我住在哪里？",
    decided="我们决定{topic}。",
    what_decided="我们决定{topic}了吗？",
    remind="提醒我{task}。",
    left="还有什么要做的？",
    yes="好的",
)

WORDS = {"en": _EN, "zh": _ZH}

# Name, language, and lines of which nothing is to be learned.
SCENARIOS: list[tuple[str, str, list[str]]] = [
    ("allotment", "en", [
        "The bean rows came up after {n} days of rain.", "Slugs got {n} of the lettuces.",
        "The compost smells better this week.", "Row {n} got its second watering today.",
        "The neighbour's hens were loose again.", "How deep should leeks stand?",
    ]),
    ("thesis", "en", [
        "Chapter {n} reads better now.", "The figure on page {n} lost its caption.",
        "The library closed early today.", "Reviewer two sent {n} remarks.",
        "The printer jammed again.", "Which font suits tables?",
    ]),
    ("marathon", "en", [
        "Today's run took {n} minutes.", "The hill near the mill was icy.", "The shoes squeaked for {n} blocks.",
        "The tempo session felt slow.", "The stopwatch froze at minute {n}.", "How long should a cool-down last?",
    ]),
    ("bakery", "en", [
        "The rye loaf rose in {n} minutes.", "The oven door sticks.", "Batch {n} came out pale.",
        "The flour delivery was late.", "The queue reached the corner by nine.", "How warm should dough be?",
    ]),
    ("wedding", "en", [
        "Table {n} is near the window.", "The florist showed {n} ribbons.", "The hall smelled of fresh paint.",
        "The band played for {n} minutes.", "The sample menu was salty.", "How wide is an aisle?",
    ]),
    ("release", "en", [
        "Build {n} finished without warnings.", "The staging server was slow.", "Ticket {n} moved to review.",
        "The logs show {n} timeouts.", "The demo crashed once.", "What does exit code {n} mean?",
    ]),
    ("装修", "zh", [
        "今天又贴了{n}块瓷砖。", "楼道里堆着水泥。", "第{n}道线槽开好了。", "油漆味道散得差不多了。", "电梯停了{n}分钟。",
        "腻子要晾多久？",
    ]),
    ("店铺", "zh", [
        "今天来了{n}位客人。", "门口的招牌被风吹歪了。", "第{n}号货架空了。", "快递下午才到。", "收银机卡了{n}次。",
        "盘点一般几点开始？",
    ]),
    ("旅行", "zh", [
        "大巴晚点了{n}分钟。", "山上起雾了。", "今天走了{n}里路。", "缆车排队很长。", "第{n}站下了不少人。", "当地几点天黑？",
    ]),
    ("养猫", "zh", [
        "橘猫今天睡了{n}个钟头。", "猫砂洒了一地。", "纸箱被抓出{n}个洞。", "窗台上全是毛。", "第{n}罐罐头开了。",
        "猫一天喝多少水？",
    ]),
    ("学琴", "zh", [
        "今天练了{n}分钟音阶。", "节拍器没电了。", "第{n}小节总是弹快。", "楼上在装空调。", "谱子翻到{n}页。", "踏板什么时候换？",
    ]),
    ("果园", "zh", [
        "东边那片开了{n}朵花。", "昨夜有霜。", "第{n}行修完枝了。", "水泵响得厉害。", "麻雀啄了{n}个梨。", "几月疏果合适？",
    ]),
]  # fmt: skip
