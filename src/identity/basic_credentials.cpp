#include "headgate/identity/basic_credentials.hpp"

#include "headgate/core/text.hpp"
#include "headgate/identity/hmac.hpp"

#include <crypt.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace headgate::identity {
namespace {

/// Returns the value of a base64 digit; 64 if the character is not one.
unsigned digit_of(char c) noexcept {
  if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a') + 26;
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0') + 52;
  return c == '+' ? 62U : c == '/' ? 63U : 64U;
}

/// A string that is wiped when it is destroyed.
class Wiped {
 public:
  // the bytes are reserved at once, so that the text never moves
  explicit Wiped(std::size_t most) { bytes_.reserve(most); }
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  ~Wiped() { wipe(bytes_.data(), bytes_.size()); }
  void add(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
  void add(char one) { bytes_.push_back(one); }
  std::string_view view() const noexcept { return {bytes_.data(), bytes_.size()}; }

 private:
  std::vector<char> bytes_;
};

/// Decodes strictly (RFC 4648 section 3). Returns false if the padding is missing, if there are other characters, or if
/// unused bits are not zero.
bool decode(std::string_view text, Wiped& out) {
  if (text.empty() || text.size() % 4 != 0) return false;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : text.substr(0, text.size() - padding)) {
    const auto digit = digit_of(c);
    if (digit == 64) return false;
    bits = (bits << 6U | digit) & 0xFFFFU;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.add(static_cast<char>(bits >> held & 0xFFU));
  }
  return (bits & ((1U << held) - 1)) == 0;
}

bool is_control_character(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

BasicForm read_basic(std::string_view value, BasicCredentials& out) {
  constexpr std::string_view kScheme = "Basic";
  value = trimmed(value);
  const auto cut = std::min(value.find(' '), value.size());
  if (!same_word(value.substr(0, cut), kScheme)) return BasicForm::other;
  const auto shown = trimmed(value.substr(cut));
  Wiped plain(shown.size());
  if (!decode(shown, plain)) return BasicForm::malformed;
  const auto text = plain.view();
  const auto colon = text.find(':');
  if (colon == text.npos || std::any_of(text.begin(), text.end(), is_control_character)) return BasicForm::malformed;
  out.user = text.substr(0, colon);
  out.password = SecretText(text.substr(colon + 1));
  return BasicForm::good;
}

bool is_password(const SecretText& password, const std::string& hash) {
  if (password.view().size() > kLongestPassword) return false;
  // libcrypt requires this object of 32 KiB to be zero.
  const auto room = std::make_unique<crypt_data>();
  const char* const made = crypt_rn(password.c_str(), hash.c_str(), room.get(), sizeof(crypt_data));
  const bool right = made != nullptr && equal_in_constant_time(made, hash);
  wipe(room.get(), sizeof(crypt_data));
  return right;
}

PasswordNames::PasswordNames() {
  if (RAND_bytes(secret_.data(), static_cast<int>(secret_.size())) != 1)
    throw std::runtime_error("the system gives no random bytes");
}

PasswordNames::~PasswordNames() { wipe(secret_.data(), secret_.size()); }

Hash PasswordNames::name(std::string_view user, std::string_view hash, bool known, std::string_view address,
                         std::string_view password) const {
  password = password.substr(0, password.size() > kLongestPassword ? password.npos : kBytesOfBcrypt);
  Wiped text(user.size() + hash.size() + address.size() + password.size() + 4);
  text.add(user);
  text.add('\0');  // a separator that occurs in no name and in no hash
  text.add(hash);
  text.add('\0');
  text.add(known ? '+' : '-');
  text.add(address);
  text.add('\0');
  text.add(password);
  const auto digest = hmac_sha256({reinterpret_cast<const char*>(secret_.data()), secret_.size()}, text.view());
  Hash out;
  std::memcpy(&out.low, digest.data(), sizeof out.low);
  std::memcpy(&out.high, digest.data() + sizeof out.low, sizeof out.high);
  return out;
}

}  // namespace headgate::identity
