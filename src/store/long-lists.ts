/**
 * Lists in statements: `in` with more values than this is one parameter, whoever writes the statement. SQLite takes 32,766
 * parameters and Postgres 65,535, and a list out of data may be longer. Short lists stay as they are, for the planners.
 */
import {
  type BinaryOperationNode,
  OperatorNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  SqliteQueryCompiler,
} from 'kysely';

const maxListed = 100;

const longListOf = ({ operator, rightOperand }: BinaryOperationNode): PrimitiveValueListNode['values'] | null =>
  OperatorNode.is(operator) &&
  operator.operator === 'in' &&
  PrimitiveValueListNode.is(rightOperand) &&
  rightOperand.values.length > maxListed
    ? rightOperand.values
    : null;

export class SqliteCompiler extends SqliteQueryCompiler {
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
}

export class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const values = longListOf(node);
    if (values === null) {
      super.visitBinaryOperation(node);
      return;
    }
    this.visitNode(node.leftOperand);
    this.append(' = any(');
    // The driver sends an array, whose type Postgres takes from the left side.
    this.appendValue(values);
    this.append(')');
  }
}
