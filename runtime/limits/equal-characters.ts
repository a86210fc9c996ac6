/**
 * Characters other than ASCII letters and digits that collations of databases treat as equal, such as `あ` and `ア`. The table has the pairs
 * of the Unicode Collation Algorithm (also of its versions in MariaDB) that differ after decomposition and upper case. The test of the keys
 * compares all characters, and names those that are missing here.
 */

/** Classes of equal characters, as hexadecimal code points. The first character of each class represents it. */
const classes = `
22 5f4 201c 201d 201e 201f 2e42 301d 301e 301f, 27 5f3 2018 2019 201a 201b, 18f 1dea, 1a6 1de2, 1a9 1def,
262 1ddb, 274 1de1, 28d 1ac0, 29f 1dde, 2a9 1df00, 404 a674, 406 a676 1e08f, 410 2df6, 411 2de0, 412 2de1,
413 490 2de2, 414 2de3, 415 2df7, 416 2de4, 417 2de5, 418 a675, 41a 2de6, 41b 2de7, 41c 2de8, 41d 2de9, 41e
2dea a668 a66a a66c a66e a698 a69a, 41f 2deb, 420 2dec, 421 2ded, 422 2dee, 423 a677, 424 a69e, 425 2def,
426 2df0, 427 2df1, 428 2df2, 429 2df3, 42a a678, 42b a679, 42c a67a, 42e 2dfb, 460 a67b, 462 2dfa, 464
a69f, 466 2dfd, 46a 2dfe, 46c 2dff, 472 2df4, 5da 5db, 5dd 5de, 5df 5e0, 5e3 5e4, 5e5 5e6, 621 674 6fd 883
887, 627 870 871 872 873 874 875 876 877 878 879 87a 87b 87c 87d 87e 87f 880 881 882 8ad, 645 6fe, 646
10ec6, 648 6e5 884, 64a 6e6 885 886 10ec5, 6cc 8c9, 712 72d, 713 714 72e, 715 72f, 71b 71c, 723 724, 726
727, 7d6 7e8, 7d7 7e9, 7d9 7ea, d3b d3c d4d, d4e d7c, f62 f6a, fad fba, fb1 fbb, fb2 fbc, 102b 102c, 10a0
1c90, 10a1 1c91, 10a2 1c92, 10a3 1c93, 10a4 1c94, 10a5 1c95, 10a6 1c96, 10a7 1c97, 10a8 1c98, 10a9 1c99,
10aa 1c9a, 10ab 1c9b, 10ac 1c9c, 10ad 1c9d, 10ae 1c9e, 10af 1c9f, 10b0 1ca0, 10b1 1ca1, 10b2 1ca2, 10b3
1ca3, 10b4 1ca4, 10b5 1ca5, 10b6 1ca6, 10b7 1ca7, 10b8 1ca8, 10b9 1ca9, 10ba 1caa, 10bb 1cab, 10bc 1cac,
10bd 1cad, 10be 1cae, 10bf 1caf, 10c0 1cb0, 10c1 1cb1, 10c2 1cb2, 10c3 1cb3, 10c4 1cb4, 10c5 1cb5, 16a0
16a1, 16a2 16a4 16a5, 16a6 16a7, 16a8 16a9 16ac 16ad 16ae, 16b2 16b3 16b4 16b5 16b6, 16b9 16e9, 16ba 16bb
16bc 16bd, 16be 16bf 16c0, 16c1 16c2, 16c3 16c4, 16c5 16c6, 16c8 16d5, 16ca 16cb 16cc 16cd 16ce 16ea, 16cf
16d0 16d1, 16d2 16d3 16d4, 16d7 16d8 16d9, 16da 16db, 16dc 16dd, 16e6 16e7 16e8, 1a26 1a58 1a59, 1a3b 1a5a
1a5b, 1a63 1a64, 1b83 1bba, 1b8a 1bbe, 1b99 1bbf, 1bc0 1bc1, 1bc2 1bc3 1bc4, 1bc5 1bc6, 1bc7 1bc8, 1bc9
1bca, 1bcb 1bcc 1bcd, 1bce 1bcf, 1bd2 1bd3, 1bd4 1bd5, 1bd6 1bd7, 1bd8 1bd9 1bda, 1bdb 1bdc, 1bde 1bdf, 1be7
1be8, 1bea 1beb, 1bec 1bed, 1bee 1bef, 1ce9 1cea 1ceb 1cec 1cee 1cef 1cf0 1cf1 1cfa, 1d08 a7ab, 1d09 1d4e,
1d0d 1ddf, 1dd2 a76e, 1de7 2c6d, 1de9 a7b4, 1dec ab38, 2c00 1e000, 2c01 1e001, 2c02 1e002, 2c03 1e003, 2c04
1e004, 2c05 1e005, 2c06 1e006, 2c08 1e008, 2c09 1e009, 2c0a 1e00a, 2c0b 1e00b, 2c0c 1e00c, 2c0d 1e00d, 2c0e
1e00e, 2c0f 1e00f, 2c10 1e010, 2c11 1e011, 2c12 1e012, 2c13 1e013, 2c14 1e014, 2c15 1e015, 2c16 1e016, 2c17
1e017, 2c18 1e018, 2c1b 1e01b, 2c1c 1e01c, 2c1d 1e01d, 2c1e 1e01e, 2c1f 1e01f, 2c20 1e020, 2c21 1e021, 2c23
1e023, 2c24 1e024, 2c26 1e026, 2c27 1e027, 2c28 1e028, 2c29 1e029, 2c2a 1e02a, 2df8 a648, 2df9 a64a, 2dfc
a656, 2e80 4e36, 2e81 5382, 2e82 4e5b, 2e83 4e5a, 2e84 4e59, 2e85 4ebb, 2e86 5182, 2e87 51e0, 2e88 5200,
2e89 5202, 2e8a 535c, 2e8b 5369, 2e8c 2e8d 5c0f, 2e8e 2e90 5c22, 2e8f 2e91 5c23, 2e92 5df3, 2e93 5e7a, 2e94
5f51, 2e95 5f50, 2e96 5fc4, 2e97 5fc3, 2e98 624c, 2e99 6535, 2e9b 65e1, 2e9c 65e5, 2e9d 6708, 2e9e 6b7a,
2ea0 6c11, 2ea1 6c35, 2ea2 6c3a, 2ea3 706c, 2ea4 2ea5 722b, 2ea6 4e2c, 2ea7 725b, 2ea8 72ad, 2ea9 738b, 2eaa
758b, 2eab 76ee, 2eac 793a, 2ead 793b, 2eae 7af9, 2eaf 7cf9, 2eb0 7e9f, 2eb1 2eb3 2eb4 7f53, 2eb2 2eb5 7f52,
2eb6 2eb7 7f8a, 2eb8 7f8b, 2eb9 8002, 2eba 8080, 2ebb 807f, 2ebc 8089, 2ebd 81fc, 2ebe 2ebf 2ec0 8279, 2ec1
864e, 2ec2 8864, 2ec3 8980, 2ec4 897f, 2ec5 89c1, 2ec6 2ec7 89d2, 2ec8 8ba0, 2ec9 8d1d, 2eca 8db3, 2ecb
8f66, 2ecc 2ecd 2ece 8fb6, 2ecf 9091, 2ed0 9485, 2ed1 9577, 2ed2 9578, 2ed3 957f, 2ed4 95e8, 2ed5 961c, 2ed6
961d, 2ed7 96e8, 2ed8 9752, 2ed9 97e6, 2eda 9875, 2edb 98ce, 2edc 98de, 2edd 98df, 2ede 2edf 98e0, 2ee0
9963, 2ee1 9996, 2ee2 9a6c, 2ee3 9aa8, 2ee4 9b3c, 2ee5 9c7c, 2ee6 9e1f, 2ee7 9e75, 2ee8 9ea6, 2ee9 9ec4,
2eea 9efe, 2eeb 9f4a, 2eec 9f50, 2eed 9f52, 2eee 9f7f, 2eef 9f8d, 2ef0 9f99, 2ef1 2ef2 9f9c, 3031 3032, 3033
3034, 3041 3042 30a1 30a2, 3043 3044 30a3 30a4, 3045 3046 30a5 30a6, 3047 3048 30a7 30a8, 3049 304a 30a9
30aa, 304b 3095 30ab 30f5, 304d 30ad, 304f 30af 31f0, 3051 3096 30b1 30f6, 3053 30b3 1b132 1b155, 3055 30b5,
3057 30b7 31f1, 3059 30b9 31f2, 305b 30bb, 305d 30bd, 305f 30bf, 3061 30c1, 3063 3064 30c3 30c4, 3066 30c6,
3068 30c8 31f3, 306a 30ca, 306b 30cb, 306c 30cc 31f4, 306d 30cd, 306e 30ce, 306f 30cf 31f5, 3072 30d2 31f6,
3075 30d5 31f7, 3078 30d8 31f8, 307b 30db 31f9, 307e 30de, 307f 30df, 3080 30e0 31fa, 3081 30e1, 3082 30e2,
3083 3084 30e3 30e4, 3085 3086 30e5 30e6, 3087 3088 30e7 30e8, 3089 30e9 31fb, 308a 30ea 31fc, 308b 30eb
31fd, 308c 30ec 31fe, 308d 30ed 31ff, 308e 308f 30ee 30ef, 3090 30f0 1b150 1b164, 3091 30f1 1b151 1b165,
3092 30f2 1b152 1b166, 3093 30f3 1b167, 3105 31a0, 3106 31b4, 310a 31b5, 310d 31a3 31bb, 310e 31b6, 310f
31b7, 3110 31a2, 3117 31a1, 311a 31a9, 311b 31a7, 311c 312e, 311e 31ae, 3120 31af, 3127 31aa 31b3, 3128 31a8
31ab, 31a4 31a5, 513f 16ff2, 5152 16ff3, a558 a610, a56a a611, a56e a62a, a587 a612, a5d1 a62b, a8f2 a8f3
a8f4 a8f5 a8f6 a8f7, a9ab a9ac, a9b4 a9b5
`;

/** Equal strings of other lengths. Collations ignore U+0345, or treat it as the iota, so that the iota is ignored. */
const others: readonly (readonly [character: string, equal: string])[] = [
  ['\u0399', ''],
  ['\u214D', 'A/S'],
];

/** Each of these characters with the string that represents it. */
export function equalCharacters(): Map<string, string> {
  const equal = new Map(others);
  for (const one of classes.split(',')) {
    const [first = '', ...rest] = one
      .trim()
      .split(/\s+/)
      .map((code) => String.fromCodePoint(Number.parseInt(code, 16)));
    for (const character of rest) equal.set(character, first);
  }
  return equal;
}
