#pragma once
// Translates the configuration of another product into a headgate file. Used by `headgate import`.

#include "headgate/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

enum class Product : std::uint8_t { nginx, ingress, kong, haproxy, spring, traefik, litellm, ratelimit };

/// Returns the name for the command line, such as "nginx".
std::string_view to_text(Product product) noexcept;
/// Returns all products in the order of the enumeration.
std::span<const Product> all_products() noexcept;
std::optional<Product> product_of(std::string_view name) noexcept;

/// A place in a file that was read.
struct Spot {
  std::string file;        ///< path as it was given on the command line or in an include
  std::size_t line = 0;    ///< line, from 1; 0 stands for the whole file
  std::size_t column = 0;  ///< column, from 1 in bytes; 0 stands for the whole line
};

enum class Matter : std::uint8_t {
  lost,     ///< not translated: traffic is treated differently than before
  differs,  ///< translated, with a different meaning here
  aside,    ///< not translated, but traffic is treated as before without it
  closed,   ///< not translated: the routes that it protects answer 503 until a person decides who may use them
};

/// A statement about one part of the translation, for the person who reads the result.
struct Remark {
  Matter matter = Matter::lost;
  Spot spot;
  std::string what;  ///< short quotation from the file; not made printable yet
  std::string why;   ///< reason, a sentence without its period
};

/// A feature that another product has and headgate does not have.
struct Lack {
  std::string_view key;  ///< key that a headgate file would have for the feature; the schema has no such key
  std::string_view why;  ///< beginning of `why` in the remarks that report this lack
};
std::span<const Lack> all_lacks() noexcept;
/// Returns the key that headgate lacks to translate the subject of the remark. Returns an empty text if headgate lacks
/// no key, or if traffic is the same without it.
std::string_view lacking_key(const Remark& remark) noexcept;

/// Returns `FILE:LINE:COLUMN: not translated: WHAT: WHY` on one line, with unprintable bytes replaced.
std::string to_text(const Remark& remark);

struct Translated {
  Product product = Product::nginx;
  bool found = true;               ///< whether the product was recognised from the files
  std::string text;                ///< headgate file with comments, which config::load accepts
  std::vector<Remark> remarks;     ///< remarks, sorted by their places
  std::vector<std::string> files;  ///< all files that were read
  /// Returns whether no remark is `lost` or `closed`.
  bool complete() const noexcept;
};

/// The reason why there is no translation: a file cannot be read, belongs to no known product, or has a syntax error.
struct Untranslatable {
  Spot spot;  ///< place of the mistake; its `file` may be empty
  std::string message;
  std::string help;  ///< advice; may be empty
};

/// Reads the file or folder `path` and the files that it includes. Recognises the product if none is given. Reads at
/// most 64 MiB in all. Throws nothing but std::bad_alloc.
Result<Translated, Untranslatable> translate(const std::string& path, std::optional<Product> product);

}  // namespace headgate::translate
