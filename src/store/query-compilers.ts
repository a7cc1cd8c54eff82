/**
 * Where we compile queries differently from Kysely. Long `in` lists become one parameter (SQLite takes 32,766, Postgres
 * 65,535); short ones stay, for the planners. What the databases say in different words is chosen here ({@link byDialect}).
 */
import {
  type BinaryOperationNode,
  type LimitNode,
  OperatorNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  type RawBuilder,
  RawNode,
  type SelectModifierNode,
  SqliteQueryCompiler,
  sql,
} from 'kysely';

export const maxListed = 100;

const longListOf = ({ operator, rightOperand }: BinaryOperationNode): PrimitiveValueListNode['values'] | null =>
  OperatorNode.is(operator) &&
  operator.operator === 'in' &&
  PrimitiveValueListNode.is(rightOperand) &&
  rightOperand.values.length > maxListed
    ? rightOperand.values
    : null;

/**
 * An expression: SQLite plans with the value of a plain limit, and so prepares the statement again for each execution. As
 * a literal, each page size would make another statement.
 */
const limitExpression = 'limit 0 + ';

/** For statements that no compiler builds. */
export const limitOf = (count: number): RawBuilder<unknown> => sql`${sql.raw(limitExpression)}${count}`;

type Wordings<Value> = Readonly<Record<'sqlite' | 'postgres', () => RawBuilder<Value>>>;

/** Without text of its own: the compilers put one of its wordings there. */
interface DialectNode extends RawNode {
  readonly wordings?: Wordings<unknown>;
}

/** An expression in the words of the database that it is compiled for. */
export const byDialect = <Value>(wordings: Wordings<Value>): RawBuilder<Value> => {
  const node: DialectNode = { ...RawNode.create([''], []), wordings };
  return sql<Value>`${{ toOperationNode: () => node }}`;
};

export class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitRaw(node: DialectNode): void {
    super.visitRaw(node.wordings?.sqlite().toOperationNode() ?? node);
  }

  /** One writer locks the whole file. */
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === 'Distinct') super.visitSelectModifier(node);
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const values = longListOf(node);
    if (values === null) {
      super.visitBinaryOperation(node);
      return;
    }
    this.visitNode(node.leftOperand);
    this.append(' in (select value from json_each(');
    this.appendValue(JSON.stringify(values));
    this.append('))');
  }

  protected override visitLimit({ limit }: LimitNode): void {
    this.append(limitExpression);
    this.visitNode(limit);
  }
}

export class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitRaw(node: DialectNode): void {
    super.visitRaw(node.wordings?.postgres().toOperationNode() ?? node);
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const values = longListOf(node);
    if (values === null) {
      super.visitBinaryOperation(node);
      return;
    }
    this.visitNode(node.leftOperand);
    this.append(' = any(');
    // Postgres infers the type of the array from the left side.
    this.appendValue(values);
    this.append(')');
  }
}
