#pragma once
// The calls of the script of shared logs.

#include "log_entry.hpp"
#include "redis/wire/question.hpp"
#include "trouble_log.hpp"

#include "headgate/redis/shared_log.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

/// A question whose failures are logged by the shared log itself, with `trouble`. Its arguments must outlive it.
class LogQuestion : public ScriptQuestion {
 public:
  bool heard(std::string_view trouble) override;

 protected:
  LogQuestion(const LogKind& kind, std::string_view key, TroubleLog& trouble);

  const LogKind& kind_;
  const std::string_view key_;
  TroubleLog& trouble_;
};

class AppendQuestion final : public LogQuestion {
 public:
  /// The entry gets a version higher than `newest`.
  AppendQuestion(const LogKind& kind, std::string_view key, TroubleLog& trouble, const limit::LogEntry& entry,
                 Duration kept, std::uint64_t newest)
      : LogQuestion(kind, key, trouble), entry_(entry), kept_(kept), newest_(newest) {}

  void write(std::vector<std::string>& out) const override;
  Result<bool> read(const Reply& reply) override;

  std::uint64_t version = 0;  ///< valid after a reply

 private:
  const limit::LogEntry& entry_;
  Duration kept_;
  std::uint64_t newest_;
};

class ReadQuestion final : public LogQuestion {
 public:
  ReadQuestion(const LogKind& kind, std::string_view key, TroubleLog& trouble, const LogPosition& from)
      : LogQuestion(kind, key, trouble), from_(from) {}

  void write(std::vector<std::string>& out) const override;
  Result<bool> read(const Reply& reply) override;

  limit::SharedLog::News news;
  std::uint64_t unreadable = 0;
  std::string first_unreadable;  ///< id of the first unreadable entry

 private:
  bool take(std::span<const Reply::Element> all);
  bool take_entry(const Reply::Element& name, const Reply::Element& entry, const TwoClocks& clocks);

  const LogPosition& from_;
};

class HearQuestion final : public LogQuestion {
 public:
  /// `key` is the key of the hash of gateways; `name` is the name of this gateway.
  HearQuestion(const LogKind& kind, std::string_view key, TroubleLog& trouble, std::string_view name,
               const LogPosition& position, std::uint64_t version)
      : LogQuestion(kind, key, trouble), name_(name), position_(position), version_(version) {}

  void write(std::vector<std::string>& out) const override;
  Result<bool> read(const Reply& reply) override;

  limit::Acknowledgements told;  ///< valid after a reply

 private:
  std::string_view name_;
  const LogPosition& position_;
  std::uint64_t version_;
};

class LeaveQuestion final : public LogQuestion {
 public:
  LeaveQuestion(const LogKind& kind, std::string_view key, TroubleLog& trouble, std::string_view name)
      : LogQuestion(kind, key, trouble), name_(name) {}

  void write(std::vector<std::string>& out) const override;
  Result<bool> read(const Reply& reply) override;

 private:
  std::string_view name_;
};

}  // namespace headgate::redis
