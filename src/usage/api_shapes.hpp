#pragma once
// The shapes of the APIs as tables of JSON pointers.

#include "headgate/usage/usage.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace headgate::usage {

/// A count in an answer. Rows of a shape with the same part add up.
struct CountRow {
  std::int64_t Usage::*part;
  std::string_view pointers;  ///< separated by blanks; the first one with a number counts
};

/// A list of counts by modality: objects with "modality" and "tokenCount".
struct ModalityRow {
  std::int64_t Usage::*part;  ///< the sum of the counts whose modality is "AUDIO"
  std::string_view list;      ///< the pointer of the list
};

/// A member of a request, at its top level, that sets the maximum of output.
struct MemberRow {
  std::string_view beside;  ///< pointers to texts, separated by blanks; requests with one of them have this member
  std::string_view member;
};

struct ApiShape {
  std::string_view name;
  std::vector<CountRow> counts;
  std::vector<ModalityRow> modalities{};
  /// Texts of the model. Pointers in one row, separated by blanks, have the same text twice, and the longest counts.
  std::vector<std::string_view> texts;
  std::string_view end{};  ///< true there means that counts that are absent are 0; "" if absent counts are unknown
  std::string_view input_only{};     ///< a value there means that the answer has no output; "" if no answer has it
  std::string_view most;             ///< maximum of output tokens in a request; the largest of several counts
  std::string_view alternatives{};   ///< number of answers to one request; the largest of several counts
  std::vector<MemberRow> members{};  ///< members that set the maximum; empty if it is not at the top level
  std::string_view model{};          ///< "" if the body has none
  std::string_view path_model{};     ///< what stands before the model in a path; "" if a path has none
  std::string_view stream{};         ///< "" if the body does not say whether it asks for a stream
  bool streams = false;              ///< what applies if a request does not say it
};

/// Returns all shapes, ordered by name.
std::span<const ApiShape> api_shapes();

}  // namespace headgate::usage
