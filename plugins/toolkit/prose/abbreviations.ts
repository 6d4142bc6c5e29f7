/**
 * Abbreviations of a language, by whether their full stop can end a sentence. Most are sentence-break suppressions of
 * Unicode's CLDR 46.1 (licence Unicode-3.0). Each string lists words without their inner spaces and last full stop:
 * `z.B` also matches `z. B.`. A word in lower case matches any case; other words match exactly.
 */
interface Words {
  /** Words that never end a sentence. */
  readonly before?: string;
  /** Words that do not end a sentence before a number. Elsewhere they do, because they may be common words. */
  readonly number?: string;
  /** Words that end a sentence if the next word is one of `starters`. */
  readonly within?: string;
  /** Words that end a sentence if the next word has a capital letter. */
  readonly last?: string;
  /** Words that are capitalised only at the start of a sentence, so a capital shows that one begins. */
  readonly starters?: string;
  /** Whether the language writes ordinal numbers with a full stop: `3.` for `third`. */
  readonly ordinals?: boolean;
}

const WORDS: Readonly<Record<string, Words>> = {
  en: {
    before:
      'mr mrs ms messrs mx dr drs prof profs rev revd hon gen col maj capt cmdr cdr lt lt.cdr sgt cpl pvt adm gov sen sens rep reps pres supt insp mt ft fr e.g eg i.e ie cf vs v viz approx ca incl excl resp esp msgr atty asst assn assoc',
    number:
      'no nos nr num fig figs eq eqs eqn eqns p pp par para pars vol vols ch chap chaps sec secs sect art arts app ex tab tbl pt pts ref refs ver v item ln pg bk n° sch cl',
    within:
      'st ave blvd rd hwy bldg apt dept univ inst inc ltd co corp bros llc plc intl natl jr sr esq ph.d m.d b.a m.a d.c al ed eds est Jan Feb Mar Apr Jun Jul Aug Sept Sep Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun a.d b.c a.m p.m pm hr hrs min mins max misc sq cu oz lb lbs gal kg km cm mm hz kb mb gb op cit ibid anon org govt Conn Calif Fla Ill Mass Mich Minn Okla Ore Pa Tenn Tex Va Wash Wis Nev Ariz Ark Colo Del Kan Ky Md Mo Mont Neb Penn Vt Wyo Yr yrs mgr',
    last: 'etc',
    starters:
      'he she it they we you i the this that these those there here his her its their our my your how what when where why who whom whose which if in on at as but and or so however because since while although though after before during then thus therefore moreover meanwhile for from with without by to of an a is are was were do does did can could will would should may might must have has had not no yes let please now today yesterday tomorrow once both each every all some many most such another one',
  },
  de: {
    before:
      'u v dr prof dipl dipl.-ing dipl.-kfm ing Mag hr hrn fr frl st z.b zb d.h dh u.a ua u.ä i.a i.d.r idr o.ä s.o s.u vgl ca bzw ggf ggfs evtl inkl exkl zzgl einschl sog v.a bspw entspr insb insbes gem lt Max min mind z.t u.u m.e i.v i.r i.b o.g o.b röm kath ev geb gest verh ehem eigtl näml ursprüngl südd österr schweiz frz engl Dt lat griech allg amtl kgl Gen bes betr jew',
    number: 'nr nrn abb abs abschn art bd bde kap s seite str tab ziff fn anm rn § aufl jg pos',
    within:
      'str tel fa abt adr ausg bibl fam hbf hrsg verf int jh jahrh mio mrd std sek min tägl mtl jhrl jan feb mär apr jun jul aug sept sep okt nov dez Mo Di Mi Do Sa So v.chr n.chr chr e.v a.d a.m co inc ltd u.s gebr ges',
    last: 'etc usw usf ff f u.v.m uvm u.v.a',
    starters:
      'der die das den dem des ein eine einen einem einer er sie es wir ihr ich du man dies diese dieser dieses diesen jene jener und oder aber denn doch wenn als ob weil dass da dort hier nun dann danach davor dabei dazu daher deshalb trotzdem jedoch auch noch nur schon sehr im in am an auf aus bei mit nach seit von vor zu zum zur für gegen ohne um über unter durch wie was wer wo warum wann sein seine ihre unser unsere mein meine kein keine alle viele nicht heute gestern morgen später so bis während',
    ordinals: true,
  },
  fr: {
    before: 'm mm mme mmes mlle mlles dr drs pr prof me mgr st ste sts cf p.ex env c.-à-d c.à.d vs ca éd j',
    number: 'no n° nos fig p pp vol chap art t tab sect al réf ex',
    within:
      'av ap janv févr avr juil sept oct nov déc j.-c av.j.-c ap.j.-c coll doc tél ill bull hôp bd fg cie sté s.a u.s anc adr p.-d.g apr',
    last: 'etc',
    starters:
      'il elle ils elles on nous vous je tu le la les un une des ce cet cette ces cela ça c qui que quoi où quand comment pourquoi mais ou et donc or ni car si dans sur sous avec sans pour par après avant depuis pendant alors ainsi puis enfin cependant toutefois en au aux du de son sa ses leur leurs mon ma mes notre votre chaque tout tous toutes plusieurs ne y selon lors',
  },
  es: {
    before:
      'ee ud uds sr sra sres srta srtas sras dr dra dres drs d dña da prof profa lic licdo licda ldo lda ing arq gral cap excmo excma excmos ilmo ilma mons rvdo rvda sto sta fr p.ej ej cf cfr vs aprox ca v.gr vid ntra ntro',
    number: 'núm nº n.º no nro fig figs pág págs p pp vol cap art tomo t',
    within:
      'avda av c cía ltda s.a ee.uu jj.oo ff.cc ss.mm a.c d.c a.e.c tel tlf dto dpto depto dptos prov ene feb abr jun jul ago sept sep oct nov dic lun mié jue sáb ed trad doc hnos bco u.s r.d',
    last: 'etc',
    starters:
      'el la los las un una unos unas él ella ellos ellas yo tú usted ustedes nosotros esto este esta estos estas ese esa eso aquel aquella y o pero sino porque si cuando donde como qué quién cómo cuándo dónde por para con sin en de del al a desde hasta entre sobre tras según durante después antes luego entonces así además también sin no ya su sus mi mis nuestro cada todo todos todas muchos se lo le les hoy ayer',
  },
  it: {
    before:
      'sig sigg sig.ra sig.na dott dott.ssa dr prof prof.ssa avv ing arch geom rag on sen mons don s ss cfr cf es p.es vs ca n.b p.i d.p.r',
    number: 'n nr fig figg pag pagg p pp vol voll cap art artt sez tav tab',
    within:
      'v.le p.zza s.p.a spa s.r.l srl a.c d.c gen feb apr mag giu lug ago ott nov dic lun mer gio sab tel ed u.s o.d.g c.c.p ag div mitt int',
    last: 'ecc etc',
    starters:
      'il lo la i gli le un uno una egli ella lui lei loro noi voi io tu esso essa questo questa questi queste quello quella e o ma però perché se quando dove come chi che cosa per con senza in nel nella di del della da dal a al alla su dopo prima poi quindi allora così inoltre anche non suo sua ogni tutti molti si oggi ieri durante secondo tra fra',
  },
  pt: {
    before:
      'sr sra srs sras srta dr dra drs dras prof profa profs eng arq exmo exma ilmo ilma d pe fr sto sta n.sra cel gen alm p.ex ex cf vs aprox v.g',
    number: 'n nº n.º núm fig figs pág págs p pp vol cap art arts inc séc',
    within:
      'av r ltda s.a cia eua e.u.a a.c d.c tel jan fev abr jun jul nov dez sáb ed trad apt obs próx adm dir dep depto univ w.c p.m a.m',
    last: 'etc',
    starters:
      'o a os as um uma uns umas ele ela eles elas eu nós você vocês isto isso este esta estes estas esse essa aquele aquela e ou mas porém porque se quando onde como quem que qual por para com sem em no na nos nas de do da dos das ao desde até entre sobre após depois antes então assim além também não já seu sua meu minha cada todo todos todas muitos hoje ontem segundo durante',
  },
  ru: {
    before:
      'гр г-н г-жа д-р проф акад доц им ул пл пр просп пер д корп т.е т.к т.н напр ср см св ст тов инж ген полк',
    number: 'с стр рис табл гл п пп т тт ст № разд вып',
    within:
      'г гг тел янв февр фев мар апр авг сент сен окт нояб ноя дек тыс млн млрд трлн н.э до.н.э в вв в.в г.г р руб коп кв отд чел мин сек куб кг км см мм обл р-н изд ред',
    last: 'др т.д т.п пр и.т.д и.т.п и.др',
    starters:
      'он она оно они мы вы я ты это этот эта эти тот та те и а но или если когда где как что кто почему зачем в во на с со к ко по из от до для без при о об за под над перед после потом затем поэтому однако также так там тут здесь все всё каждый его её их наш мой не да нет',
  },
  uk: {
    before:
      'ім м с смт вул просп бул пл пров пер наб акад проф доц д-р п пп св свв свт прп преп о оо інж ген ч напр див пор ср т.зв т.д.п т.к т.ч нар заст зав мит архієп єп р-н',
    number: 'рис мал табл ст стор стр гл розд вип буд кв кім оф № тт абз мф лк ін йо мт',
    within: 'р рр ст обл ред вид н.е до.н.е тел січ лют бер квіт трав черв лип серп вер жовт лист груд',
    last: 'ін тощо грн коп тис млн млрд год хв сек га кг км см мм т.д т.п і.т.д і.т.п та.ін',
    starters:
      'він вона воно вони ми ви я ти це цей ця ці той та те ті і й а але або чи якщо коли де як що хто чому в у на з із зі до від по за для без при про під над перед після потім тоді тому однак проте також так там тут усі все всі кожен його її їх їхній наш мій не ні адже ще вже зокрема саме серед більше нині тепер сьогодні згодом незабаром подальші',
  },
  nl: {
    before:
      'dhr mevr mw dr drs ir ing mr prof ds st bijv bv d.w.z m.a.w o.a m.n t.o.v m.b.t i.p.v i.v.m z.g zgn ca resp incl excl evt vgl cf gen kol',
    number: 'nr nrs fig afb blz p pp art hfdst par deel',
    within: 'jan feb mrt apr jun jul aug sept sep okt nov dec tel str n.v b.v v.chr n.chr a.s jl',
    last: 'enz etc e.d e.a',
    starters:
      'de het een hij zij ze wij we jij je u ik dit dat deze die er hier daar en of maar want als toen wanneer waar wie wat hoe waarom in op aan bij met naar voor van uit over onder na door om tot sinds tijdens daarna daarom dus echter ook niet zijn haar hun ons onze mijn elke alle veel vandaag gisteren',
  },
  el: {
    before: 'κ κα κος δρ καθ αγ π.χ δηλ βλ πρβλ σημ',
    number: 'αρ σελ εικ τομ κεφ αριθ τηλ',
    within: 'ιαν φεβ μαρ απρ ιουν ιουλ αυγ σεπ οκτ νοε δεκ π.χ μ.χ π.μ μ.μ χιλ εκ',
    last: 'κ.λπ κλπ κ.ά κ.τ.λ κτλ',
    starters:
      'ο η το οι τα ένας μία ένα αυτός αυτή αυτό αυτοί και ή αλλά αν όταν που πως τι ποιος γιατί σε στο στη στον με από για δεν θα να όμως επίσης',
  },
  pl: {
    before: 'p pp dr prof inż mgr hab ks św ul al pl np tzn tzw m.in mn por zob gen płk',
    number: 'nr s str rys tab t rozdz art ust pkt',
    within: 'r w godz min tys mln mld zł gr tel wyd oprac',
    last: 'itd itp',
    starters:
      'on ona ono oni one my wy ja ty to ten ta te i a ale lub albo jeśli gdy kiedy gdzie jak co kto w we na z ze do od po przez dla bez przy o za pod nad przed potem więc jednak także tak tam tu nie jest są był była',
    ordinals: true,
  },
  hi: { before: 'डॉ श्री श्रीमती प्रो पं स्व कु मो सु ई बी', within: 'रु कि मी' },
  ar: { before: 'د أ م ص ت ق ج أ.د م.م', within: 'هـ ه' },
  tr: {
    before: 'dr prof doç yrd sn av bkz örn vb müh alb gen öğr',
    number: 'no s sy cilt mad',
    within: 'mah cad sok apt tel m.ö m.s',
    last: 'vs vd',
    ordinals: true,
  },
};

const WITH_ORDINALS = new Set('bs cs da et fi hr hu is lv nb nn no sk sl sr'.split(' '));

export type Lexicon = Readonly<Record<Exclude<keyof Words, 'ordinals'>, ReadonlySet<string>>> & {
  readonly ordinals: boolean;
};

const lexicons = new Map<string, Lexicon>();

/** The abbreviations of a language (BCP 47) by its primary subtag. Unknown languages use those of English. */
export function lexiconOf(lang: string): Lexicon {
  const language = lang.split(/[-_]/, 1)[0]?.toLowerCase() ?? '';
  const key = Object.hasOwn(WORDS, language) || WITH_ORDINALS.has(language) ? language : 'en';
  const lexicon = lexicons.get(key) ?? createLexicon(key);
  lexicons.set(key, lexicon);
  return lexicon;
}

function createLexicon(language: string): Lexicon {
  const words = WORDS[language] ?? { ...(WORDS.en as Words), ordinals: true };
  const setOf = (list = '') => new Set(list.split(' '));
  return {
    before: setOf(words.before),
    number: setOf(words.number),
    within: setOf(words.within),
    last: setOf(words.last),
    starters: setOf(words.starters),
    ordinals: words.ordinals ?? false,
  };
}
