import ts from 'typescript';

const { SyntaxKind: kinds } = ts;

/**
 * The replacement of each operator is its nearest neighbour: only a test of the edge case notices the
 * difference.
 */
const swaps = new Map([
  [kinds.EqualsEqualsEqualsToken, '!=='],
  [kinds.ExclamationEqualsEqualsToken, '==='],
  [kinds.LessThanToken, '<='],
  [kinds.LessThanEqualsToken, '<'],
  [kinds.GreaterThanToken, '>='],
  [kinds.GreaterThanEqualsToken, '>'],
  [kinds.PlusToken, '-'],
  [kinds.MinusToken, '+'],
  [kinds.AmpersandAmpersandToken, '||'],
  [kinds.BarBarToken, '&&'],
]);

/**
 * All possible changes of one file, each at one place. `place` numbers the changes of the same kind in a line,
 * from 1.
 * @returns {{ file: string, source: string, line: number, operator: string, place: number, start: number, end:
 * number, text: string, code: string }[]}
 */
export function mutantsOf(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found = [];
  const add = (operator, node, text) => {
    const start = node.getStart(tree);
    const { line } = tree.getLineAndCharacterOfPosition(start);
    const code = source.split('\n')[line].trim();
    const place = 1 + found.filter((each) => each.line === line + 1 && each.operator === operator).length;
    found.push({ file, source, line: line + 1, operator, place, start, end: node.getEnd(), text, code });
  };
  const visit = (node) => {
    // Types, decorators and imports have no behaviour.
    if (ts.isTypeNode(node) || ts.isDecorator(node) || ts.isImportDeclaration(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    mutate(node, add);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function mutate(node, add) {
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const swapped = swaps.get(kind);
    if (swapped) add(`${node.operatorToken.getText()} becomes ${swapped}`, node.operatorToken, swapped);
    if (kind === kinds.QuestionQuestionToken) add('?? never falls back', node, `(${node.left.getText()})`);
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === kinds.ExclamationToken) {
    add('! is gone', node, `(${node.operand.getText()})`);
  } else if (ts.isIfStatement(node)) {
    add('the condition always holds', node.expression, `true || (${node.expression.getText()})`);
    add('the condition never holds', node.expression, `false && (${node.expression.getText()})`);
  } else if (ts.isConditionalExpression(node)) {
    add('only the first branch', node, `(${node.whenTrue.getText()})`);
    add('only the second branch', node, `(${node.whenFalse.getText()})`);
  } else if (node.kind === kinds.TrueKeyword || node.kind === kinds.FalseKeyword) {
    add('the other truth', node, node.kind === kinds.TrueKeyword ? 'false' : 'true');
  } else if (ts.isNumericLiteral(node) && !ts.isPropertyAssignment(node.parent.parent ?? node)) {
    add('one more', node, `(${node.getText()} + 1)`);
  } else if (ts.isBigIntLiteral(node)) {
    add('one more', node, `(${node.getText()} + 1n)`);
  } else if (ts.isAwaitExpression(node)) {
    add('not awaited', node, `(${node.expression.getText()})`);
  } else if (ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression)) {
    add('the statement is gone', node, '{}');
  }
}
