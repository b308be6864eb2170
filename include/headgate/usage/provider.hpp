#pragma once
// The APIs of language models: where their answers report usage, and where their requests say what they ask for.

#include "headgate/scan/pointer.hpp"
#include "headgate/scan/scan.hpp"
#include "headgate/usage/usage.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::usage {

/// An API: "anthropic", "gemini", "ollama", "openai" (chat and completions, also of vLLM) or "openai-responses".
/// Immutable; any thread; valid until the process ends.
struct Provider;

/// Returns the API with this name, or null.
const Provider* find_provider(std::string_view name) noexcept;
/// Returns the names of all APIs in alphabetical order, as in "anthropic, gemini".
std::string provider_names();
std::string_view name_of(const Provider& provider) noexcept;

/// Returns the pointers for the scan of an answer, as one document or as a stream, and for the scan of a request. The
/// functions below need a scan that was begun with these pointers, or with a copy to which others were added.
const scan::Pointers& answer_pointers(const Provider& provider) noexcept;
const scan::Pointers& request_pointers(const Provider& provider) noexcept;

/// Returns the usage that the answer has reported so far. All APIs report sums, so a later report of a stream replaces
/// an earlier one. The output of a stream of Anthropic stays -1 until the stream reports its end, because its beginning
/// has no useful count.
Usage usage_in(const Provider& provider, const scan::Scan& answer) noexcept;
/// Returns the bytes of text that the model has sent so far: content, reasoning, and arguments of tools. With them, a
/// caller can estimate the output of an answer that reports none.
std::uint64_t output_text_in(const Provider& provider, const scan::Scan& answer) noexcept;

/// Returns the maximum number of output tokens that the request allows for all its alternatives (`n`) together, up to
/// scan::kMaxNumber. Empty if it sets no maximum, or if servers could read the request in different ways.
std::optional<std::int64_t> most_output_in(const Provider& provider, const scan::Scan& request) noexcept;
/// The output that a request asks for.
struct AskedOutput {
  bool sure = false;              ///< whether all servers read the same numbers, which are above 0 or absent
  std::int64_t most = 0;          ///< the largest maximum of output; 0 if there is none
  std::int64_t alternatives = 1;  ///< number of answers, at least 1
};
AskedOutput asked_output_in(const Provider& provider, const scan::Scan& request) noexcept;
/// Returns the indexes of the pointers at which a request can set its maximum of output.
std::span<const std::size_t> most_places(const Provider& provider) noexcept;

/// A member that sets the maximum of output, for requests that have a value at a pointer.
struct MostMember {
  std::size_t beside = 0;   ///< index of the pointer
  std::string_view member;  ///< name of the member, at the top level of the request
};
/// Returns the members that may be added to requests which set no maximum, and adds the pointers to `request`. Empty
/// for APIs whose maximum is not a member of the top level. The first member whose pointer is found is the right one.
std::vector<MostMember> most_members(const Provider& provider, scan::Pointers& request);

/// Returns the model that the body of the request names. Empty if there is none, if its name is longer than
/// scan::kMaxText, or if servers could read different ones. The view is valid until the scan is fed or begun again.
std::string_view model_in(const Provider& provider, const scan::Scan& request) noexcept;
/// Returns the model that a path names, for Gemini: "gemini-2.5-pro" in
/// "/v1beta/models/gemini-2.5-pro:generateContent". Empty for other APIs. The view is a part of `path`.
std::string_view model_in_path(const Provider& provider, std::string_view path) noexcept;
/// Returns whether the body of the request asks for a stream. Empty if servers could read it in different ways, and for
/// Gemini, whose streams have a path of their own.
std::optional<bool> stream_in(const Provider& provider, const scan::Scan& request) noexcept;

}  // namespace headgate::usage
