// API keys, known ones and a flood of guesses.
#include "identity_rows.hpp"

#include "headgate/identity/api_keys.hpp"

#include <cstdint>
#include <fstream>
#include <random>
#include <stdexcept>

namespace headgate::bench {
namespace {

using identity::ApiKeys;

constexpr std::size_t kKnown = 100'000;
constexpr std::size_t kGuesses = 10'000'000;
constexpr std::size_t kLot = 10'000;

/// Writes a key of 40 characters over `key`, in place so that making one takes no memory.
void draw(std::mt19937_64& random, std::string& key) {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz012345";
  constexpr std::string_view kPrefix = "hg_live_";
  key.assign(kPrefix);
  while (key.size() < 40) {
    std::uint64_t bits = random();
    for (int i = 0; i < 8; ++i, bits >>= 5) key += kAlphabet[bits & 31];
  }
}

std::vector<std::string> drawn(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> keys(count);
  for (auto& key : keys) draw(random, key);
  return keys;
}

ApiKeys knowing(const std::vector<std::string>& keys) {
  std::vector<identity::ApiKeyRecord> records(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    records[i].owner = "customer-" + std::to_string(i / 2);
    records[i].digest = identity::sha256(keys[i]);
  }
  return ApiKeys(std::move(records));
}

/// Known keys one after the other: drawn in no order, they lie scattered over the table.
Contender known(const ApiKeys& all, const std::vector<std::string>& keys) {
  return [&all, &keys, turn = std::size_t{0}](std::size_t times) mutable {
    for (std::size_t i = 0; i < times; ++i) {
      if (all.find(identity::sha256(keys[turn])) == nullptr) throw std::runtime_error("a known key was not found");
      if (++turn == keys.size()) turn = 0;
    }
  };
}

/// Resident memory of this process, in KiB. Not statm, which is off by a batch of pages for each core.
std::int64_t resident() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string word; rollup >> word;) {
    std::int64_t size = 0;
    if (word == "Rss:" && rollup >> size) return size;
  }
  throw std::runtime_error("the system does not tell how much memory is resident");
}

/// Nanoseconds for each of `count` keys never seen before; making them is not measured.
double flood(const ApiKeys& all, std::size_t count, std::uint64_t seed, std::vector<std::string>& lot) {
  std::mt19937_64 random(seed);
  double used = 0;
  for (std::size_t done = 0; done < count; done += lot.size()) {
    for (auto& key : lot) draw(random, key);
    const double before = thread_cpu();
    for (const auto& key : lot) {
      if (all.find(identity::sha256(key)) != nullptr) throw std::runtime_error("a guessed key was found");
    }
    used += thread_cpu() - before;
  }
  return used / static_cast<double>(count);
}

}  // namespace

Rows api_key_rows(const Rounds& rounds) {
  const auto keys = drawn(kKnown, 1);
  const auto all = knowing(keys);
  const std::vector<Contender> contenders{known(all, keys)};
  const auto before = spread(measure(contenders, rounds)[0]);
  auto lot = drawn(kLot, 2);
  flood(all, kLot, 3, lot);  // what is needed once is no growth
  const auto memory_before = resident();
  const double guess = flood(all, kGuesses, 4, lot);
  const auto memory_after = resident();
  const auto after = spread(measure(contenders, rounds)[0]);
  return {{.what = "known API key among 100,000", .target = "", .result = nanoseconds(before), .reached = std::nullopt},
          {.what = "unknown API key, ten million of them",
           .target = "",
           .result = number(guess, 0) + " ns",
           .reached = std::nullopt},
          {.what = "  resident memory that they took",
           .target = "0 KiB",
           .result = std::to_string(memory_after - memory_before) + " KiB, " + std::to_string(memory_before) +
                     " before and " + std::to_string(memory_after) + " after",
           .reached = memory_after <= memory_before},
          {.what = "  known API key afterwards", .target = "", .result = nanoseconds(after), .reached = std::nullopt}};
}

}  // namespace headgate::bench
