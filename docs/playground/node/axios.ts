/** `axios`: the runtime creates its client when it loads the part of the traces. */
export class Axios {
  request(): never {
    throw new Error('The playground sends no requests to third parties');
  }
}
