// SPDX-License-Identifier: Apache-2.0
#include <croco/service/prepared.hpp>

#include <algorithm>
#include <utility>

namespace croco {

PreparedExplainers::Prepared PreparedExplainers::find(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found == entries_.end()) {
    ++counts_.misses;
    return nullptr;
  }
  ++counts_.hits;
  entries_.splice(entries_.begin(), entries_, found);
  return entries_.front().prepared;
}

PreparedExplainers::Prepared PreparedExplainers::get(const std::string& key, std::size_t bytes,
                                                     const std::function<Prepared()>& make) {
  if (Prepared known = find(key)) return known;
  Prepared made = make();  // without the lock: others may be served meanwhile
  std::list<Entry> dropped;
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found != entries_.end()) return found->prepared;
  entries_.push_front({key, made, bytes});
  used_ += bytes;
  while (entries_.size() > 1 && (entries_.size() > most_ || used_ > bytes_)) {
    used_ -= entries_.back().bytes;
    dropped.splice(dropped.begin(), entries_, std::prev(entries_.end()));
  }
  return made;
}

PreparedExplainers::Counts PreparedExplainers::counts() const {
  const std::scoped_lock lock(mutex_);
  Counts out = counts_;
  out.kept = entries_.size();
  return out;
}

}  // namespace croco
