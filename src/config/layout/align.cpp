// Aligns values after their keys, and the items of rows below each other, if the author has begun to align them. The
// next pass writes aligned text with the same blanks, so that the result stays the same.

#include "tree.hpp"

#include <algorithm>
#include <tuple>

namespace headgate::config {
namespace {

bool is_row(const LayoutItem& item) {
  const auto plain = [](const LayoutItem& each) { return each.beside.empty() && each.behind.empty(); };
  return item.value.open == '{' && item.value.items.size() > 1 && item.beside.empty() &&
         std::ranges::all_of(item.value.items, plain);
}

class Aligner {
 public:
  Aligner(const LayoutValue& container, std::size_t column, bool all_start)
      : items_(container.items), column_(column), all_start_(all_start) {
    out_.behind_key.resize(items_.size());
    out_.columns.resize(items_.size());
  }

  Alignment run() {
    std::size_t begin = 0;
    while (begin < items_.size()) {
      auto end = begin;
      while (end < items_.size() && joins(end) && (end == begin || !interrupts(items_[end]))) ++end;
      if (end - begin > 1) group(begin, end);
      begin = std::max(end, begin + 1);
    }
    return std::move(out_);
  }

 private:
  bool starts(std::size_t at) const {
    return at == 0 || at >= items_.size() || all_start_ || items_[at].starts_line || items_[at - 1].tail.has_value();
  }
  /// Returns whether the item is alone on its line and fits there.
  bool joins(std::size_t at) const {
    const auto& item = items_[at];
    return item.value.flat && starts(at) && starts(at + 1) && column_ + flat_width(item) + 1 <= kLayoutWidth;
  }
  static bool interrupts(const LayoutItem& item) {
    return item.after_blank ||
           std::ranges::any_of(item.before, [](const OwnComment& each) { return each.after_blank; });
  }

  void group(std::size_t begin, std::size_t end) {
    keys(begin, end);
    for (auto row = begin; row < end;) {
      auto last = row;
      while (last < end && is_row(items_[last])) ++last;
      if (last - row > 1) rows(row, last);
      row = std::max(last, row + 1);
    }
  }

  void keys(std::size_t begin, std::size_t end) {
    std::size_t widest = 0;
    bool wanted = false;
    for (auto i = begin; i < end; ++i) {
      if (items_[i].key.empty() || !items_[i].beside.empty()) return;
      widest = std::max(widest, layout_width(items_[i].key));
      wanted = wanted || items_[i].key_apart;
    }
    const auto room = [&](const LayoutItem& item) { return widest - layout_width(item.key); };
    for (auto i = begin; i < end; ++i)
      wanted = wanted && column_ + flat_width(items_[i]) + room(items_[i]) + 1 <= kLayoutWidth;
    for (auto i = begin; i < end && wanted; ++i) out_.behind_key[i] = room(items_[i]);
  }

  /// Returns how many keys at the beginning of two rows are the same.
  static std::size_t common(const LayoutItem& a, const LayoutItem& b) {
    const auto& [one, other] = std::tie(a.value.items, b.value.items);
    const auto [at, end] =
        std::ranges::mismatch(one, other, [](const LayoutItem& x, const LayoutItem& y) { return x.key == y.key; });
    return static_cast<std::size_t>(at - one.begin());
  }

  void rows(std::size_t begin, std::size_t end) {
    const auto count = end - begin;
    // For each row, how many keys at its beginning are those of the next row.
    std::vector<std::size_t> like_next(count, 0);
    std::vector<std::size_t> at(count);  // column at which the next item of each row begins
    std::size_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& item = items_[begin + i];
      if (i + 1 < count) like_next[i] = common(item, items_[begin + i + 1]);
      most = std::max(most, like_next[i]);
      at[i] = out_.behind_key[begin + i] + (item.key.empty() ? 0 : layout_width(item.key) + 2);
      out_.columns[begin + i].resize(item.value.items.size());
    }
    for (std::size_t column = 1; column < most; ++column) {
      for (std::size_t i = 0; i < count; ++i) {
        const auto& inner = items_[begin + i].value.items;
        if (column <= inner.size()) at[i] += flat_width(inner[column - 1]) + 2;
      }
      for (std::size_t i = 0; i < count;) {
        auto last = i;
        while (last + 1 < count && like_next[last] > column) ++last;
        if (last > i) one_column(begin, i, last, column, at);
        i = last + 1;
      }
    }
    for (auto i = begin; i < end; ++i)
      if (!fits(i)) return drop(begin, end);
  }

  void one_column(std::size_t begin, std::size_t first, std::size_t last, std::size_t column,
                  std::vector<std::size_t>& at) {
    bool wanted = false;
    std::size_t widest = 0;
    for (auto i = first; i <= last; ++i) {
      wanted = wanted || items_[begin + i].value.items[column].item_apart;
      widest = std::max(widest, at[i]);
    }
    for (auto i = first; i <= last && wanted; ++i) {
      out_.columns[begin + i][column] = widest - at[i];
      at[i] = widest;
    }
  }

  bool fits(std::size_t row) const {
    auto width = column_ + flat_width(items_[row]) + out_.behind_key[row] + 1;
    for (const auto each : out_.columns[row]) width += each;
    return width <= kLayoutWidth;
  }
  void drop(std::size_t begin, std::size_t end) {
    for (auto i = begin; i < end; ++i) out_.columns[i].clear();
  }

  const std::vector<LayoutItem>& items_;
  std::size_t column_;
  bool all_start_;
  Alignment out_;
};

}  // namespace

Alignment align(const LayoutValue& container, std::size_t column, bool all_start) {
  return Aligner(container, column, all_start).run();
}

}  // namespace headgate::config
