#pragma once
// What the programs that draw docs/pictures have in common: `PROGRAM DIR` writes the pictures, `PROGRAM --check DIR`
// only compares them.

#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace headgate::test {

struct Drawing {
  std::string file;  ///< without its directory and ".svg"
  std::string svg;
};

/// The whole program; `count` and `words` are those of main(). Its result is the exit code: 1 if a picture differs.
inline int write_or_compare(int count, char** words, const std::function<std::vector<Drawing>()>& draw) {
  const bool check = count == 3 && std::string(words[1]) == "--check";
  if (count != (check ? 3 : 2)) {
    std::fprintf(stderr, "usage: %s [--check] DIRECTORY\n", words[0]);
    return 2;
  }
  int differ = 0;
  for (const auto& drawing : draw()) {
    const auto path = std::string(words[count - 1]) + "/" + drawing.file + ".svg";
    if (!check) {
      std::ofstream(path, std::ios::binary | std::ios::trunc) << drawing.svg;
      continue;
    }
    std::ifstream in(path, std::ios::binary);
    if (std::string(std::istreambuf_iterator<char>(in), {}) == drawing.svg) continue;
    std::fprintf(stderr, "%s is not what the code does now; draw it again with ./dev docs\n", path.c_str());
    ++differ;
  }
  return differ == 0 ? 0 : 1;
}

}  // namespace headgate::test
