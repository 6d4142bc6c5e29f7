export interface Sample {
  readonly name: string;
  readonly text: string;
}

const ENGLISH = `The lighthouse keeper, Dr. A. M. Hale, had kept a diary since 1891. It was not a good diary: most entries read "Fog. Wind N.E., 4 kn." and nothing else. But on the 3rd of March she wrote four pages.

"A ship," she began, "stood off the reef at 5 a.m. with no lights." She had counted her masts twice. Was it the Ariel? No... the Ariel had gone down in '88, with all hands.

She lit the lamp again, and waited. The tide turned at half past six; the ship did not. By nine there was nothing to see but gulls, and a line of foam where the water broke over the stones.

Nobody in the village believed her. The harbour master, who had not looked out of his window all morning, put it down to the fog. There had been no fog. She wrote that down as well, and underlined it.
`;

const GERMAN = `Der Zug nach Bad Kissingen fährt z. B. um 7.45 Uhr, am 3. Oktober aber erst um 9 Uhr. Frau Dr. Nüßlein wusste das; ihr Mann nicht. „Wir haben Zeit“, sagte er, „der Zug kommt ja doch nie pünktlich.“

Das stimmte, bis zu diesem Tag. Um 7.44 Uhr rollte er ein, hielt genau eine Minute und fuhr ab – ohne die beiden. Auf dem Bahnsteig blieb ein Koffer zurück, der, wie sich herausstellte, gar nicht ihnen gehörte.

Straßenbahnhaltestellenhäuschen sind im Winter ungemütlich. Sie setzten sich trotzdem hinein und warteten auf den nächsten.
`;

const CHINESE = `清晨，渡口还没有人。老船工把缆绳解开，又系上，如此三次。他说：“水还没有醒。”我问他水怎么会睡。他笑而不答，只是指着对岸的灯。

灯有三盏：一盏是茶馆的，一盏是学堂的，还有一盏，没有人知道是谁的。每到初一，第三盏灯就会熄灭；十五的时候，它又亮了！村里的孩子们都说那是月亮的儿子。

后来修了桥，渡口就荒了。桥很宽，车很多，可是再也没有人问过：水醒了吗？
`;

const ARABIC = `كان في آخر الشارع مقهى صغير لا يفتح إلا حين تمطر. يقول صاحبه إن الناس لا يتكلمون حقًا إلا إذا حبسهم المطر. فهل كان على صواب؟ لا أدري.

دخلت ذات مساء، وكان المطر خفيفًا. جلست قرب النافذة وطلبت شايًا بالنعناع؛ ثمنه 15 دينارًا. لم يكن هناك سوى رجل مسن يقرأ جريدة من سنة 1974.

قال لي: «اقرأ هذا الخبر». قرأت: «غدًا يتوقف المطر». ضحك، ثم طوى الجريدة وخرج، ولم يتوقف المطر.
`;

const EMOJI = `👩‍👩‍👧‍👦 is one family and seven code points. 🏳️‍🌈 has four, 🇨🇭 two, and 👍🏽 has two as well. é can be one code point or two: é.

A list:
- ☕️ first ☕️
- 🧑🏾‍🚀 then 🚀🚀🚀
- ❤️‍🔥 done

Zalgo: ẗ̴e̵̡x̶t̷ with many m̈́arks. Right to left: שלום 👋 مرحبا. The end… 🔚
`;

const CRLF = ENGLISH.replaceAll('\n', '\r\n');

const CODE = `"""Reads a table of tides."""
import csv
from dataclasses import dataclass


@dataclass
class Tide:
    """One high or low water."""

    at: str
    metres: float

    def is_high(self, mean: float) -> bool:
        return self.metres > mean


def read(path: str) -> list[Tide]:
    # The first row is the header.
    with open(path, newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [Tide(at, float(metres)) for at, metres in rows]


def mean(tides: list[Tide]) -> float:
    if not tides:
        raise ValueError("no tides")
    return sum(tide.metres for tide in tides) / len(tides)


def main() -> None:
    tides = read("tides.csv")
    average = mean(tides)
    for tide in tides:
        print(tide.at, "high" if tide.is_high(average) else "low")


if __name__ == "__main__":
    main()
`;

const rows = Array.from(
  { length: 40 },
  (_, day) =>
    `| ${day + 1} | ${String(5 + (day % 7)).padStart(2, '0')}:${String((day * 13) % 60).padStart(2, '0')} | ${(3 + Math.sin(day) * 1.4).toFixed(2)} | ${day % 5 === 0 ? 'storm \\| gale' : 'calm'} |`,
);

const MARKDOWN = `---
title: Tides
---

# Tides

Water rises and falls twice a day. See [the table](#table).

## How to read them

1. Find the day.
2. Read across:
   - the time of high water,
   - its height in *metres*.

\`\`\`sh
# not a heading
tides --day 12 | sort
\`\`\`

## Table

| Day | Time | Metres | Sea |
| --: | :-- | --: | :-- |
${rows.join('\n')}

> Heights are above chart datum.
> No warranty.

## See also

Moon phases, and [the log](log.txt).
`;

const EVENTS = [
  'lamp lit',
  'ship in sight',
  'fog signal started',
  'battery at 81 %',
  'lamp out',
  'tide turned',
];
const LOG = Array.from({ length: 60 }, (_, line) => {
  const time = new Date(Date.UTC(2026, 2, 3, 5, 0, line * 47)).toISOString();
  const level = line % 11 === 0 ? 'WARN' : 'INFO';
  return `${time} ${level} lighthouse[${400 + (line % 3)}]: ${EVENTS[line % EVENTS.length]}`;
}).join('\n');

export const SAMPLES: readonly Sample[] = [
  { name: 'English', text: ENGLISH },
  { name: 'German', text: GERMAN },
  { name: 'Chinese', text: CHINESE },
  { name: 'Arabic', text: ARABIC },
  { name: 'Emoji', text: EMOJI },
  { name: 'CRLF', text: CRLF },
  { name: 'Python code', text: CODE },
  { name: 'Markdown with a table', text: MARKDOWN },
  { name: 'Log', text: LOG },
];
