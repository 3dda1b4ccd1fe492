/** A short chat in Japanese: a retried API error, a refused call, a slash command, an answer that was interrupted. */
import { apiError, interrupt, slashCommand } from './moves.ts';
import { close } from './surroundings.ts';
import { prompt, reply, replyInterrupted, think } from './talk.ts';
import { bash, denied } from './tools.ts';
import { createWorkspace, edit, read, type Workspace } from './workspace.ts';
import { createSession, type DemoRoot, type Writer } from './writer.ts';

/** Nothing of the last part survives in the folder's name (L2). */
const BOOKSHELF = '/home/ada/work/本棚';

const SEARCH = `/** 蔵書の検索。空白で区切った語をすべて含む本を返す。 */
export function search(books, query) {
  const words = query.split(' ').filter(Boolean);
  return books.filter((book) => words.every((word) => book.title.includes(word) || book.author.includes(word)));
}
`;

const NORMALIZED = `/** 全角と半角、大文字と小文字の違いをなくす。 */
function normalize(text) {
  return text.normalize('NFKC').toLowerCase();
}

/** 蔵書の検索。空白で区切った語をすべて含む本を返す。 */
export function search(books, query) {
  const words = normalize(query).split(/\\s+/).filter(Boolean);
  return books.filter((book) => {
    const text = normalize(\`\${book.title} \${book.author}\`);
    return words.every((word) => text.includes(word));
  });
}
`;

export function bookshelf(root: DemoRoot): Writer {
  const ws = createWorkspace(BOOKSHELF, { 'src/search.js': SEARCH });
  const w = createSession(root, {
    name: 'bookshelf',
    version: '2.1.325',
    cwd: BOOKSHELF,
    model: 'claude-sonnet-4-5-20250929',
    start: '2026-11-13T11:47:20.000Z',
    gitBranch: 'main',
  });
  fixSearch(w, ws);
  moveIndex(w);
  review(w);
  close(w);
  return w;
}

function fixSearch(w: Writer, ws: Workspace): void {
  prompt(
    w,
    '検索で半角の「ｶﾓﾒ」と入れると「カモメの手帖」が出てきません。全角の空白で区切ったときも駄目です。直してもらえますか。',
    5,
  );
  apiError(w, 1, 560);
  apiError(w, 2, 1_180);
  reply(
    w,
    think('半角カナと全角空白。NFKC で正規化すれば両方そろう。まず検索の実装を見る。'),
    '検索の実装を確認します。',
    read(ws, 'src/search.js'),
  );
  reply(
    w,
    '原因は二つです。文字をそのまま比べていることと、半角の空白でしか区切っていないことです。両側を NFKC で正規化します。',
    edit(ws, 'src/search.js', SEARCH, NORMALIZED, { asked: 6_300 }),
  );
  reply(
    w,
    bash(
      "node -e \"import('./src/search.js').then(({ search }) => { const books = [{ title: 'カモメの手帖', author: '潮野 渚' }]; for (const q of ['ｶﾓﾒ', 'カモメ　渚', 'ペンギン']) console.log(q, search(books, q).length) })\"",
      '三つの検索語で試す',
      'ｶﾓﾒ 1\nカモメ　渚 1\nペンギン 0',
      { ms: 130, asked: 3_900 },
    ),
  );
  reply(
    w,
    '直りました。\n\n| 検索語 | 前 | 後 |\n|---|---|---|\n| ｶﾓﾒ（半角） | 0 件 | 1 件 |\n| カモメ　渚（全角の空白） | 0 件 | 1 件 |\n| ペンギン | 0 件 | 0 件 |\n\n' +
      '`normalize()` は NFKC と小文字化だけなので、ひらがなとカタカナは今までどおり区別されます。',
  );
}

function moveIndex(w: Writer): void {
  prompt(w, 'ありがとうございます。古い索引 data/index-old はもう使わないので片付けてください。', 88);
  reply(
    w,
    '使われていないことを確認したうえで、削除します。',
    denied(bash('rm -rf data/index-old', '古い索引を削除', ''), 4_700),
  );
  interrupt(w, 'tool');
  prompt(w, '消さないで、archive/ に移してください。', 16);
  reply(
    w,
    '失礼しました。移動だけにします。',
    bash('mkdir -p archive && mv data/index-old archive/ && ls archive', '古い索引を archive に移す', 'index-old', {
      ms: 60,
      asked: 2_800,
    }),
  );
  reply(w, '`archive/index-old` に移しました。何も削除していません。');
}

function review(w: Writer): void {
  slashCommand(
    w,
    'review',
    'src/search.js',
    'src/search.js を読み、正しさ、性能、読みやすさの順に問題点を挙げてください。',
    120,
  );
  const messageId = replyInterrupted(
    w,
    think('今の search() は呼び出しごとに全冊を正規化している。そこから順に書く。'),
    '# レビュー: src/search.js\n\n## 1. 正しさ\n\n`normalize()` は NFKC を使っているため、半角カナ、全角英数、全角の空白はそろいます。一方で次の点は',
  );
  interrupt(w, 'answer', messageId);
  prompt(w, '長いので、要点を三つだけお願いします。', 9);
  reply(
    w,
    '1. **性能**: 検索のたびに全冊を正規化しています。本を読み込むときに一度だけ正規化しておけば済みます。\n' +
      '2. **正しさ**: ひらがなで「かもめ」と入れても見つかりません。必要なら仮名もそろえます。\n' +
      '3. **読みやすさ**: 題名と著者をつないで探すので、二つにまたがる語にも当たります。今の蔵書では起きません。',
  );
}
