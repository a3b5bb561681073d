namespace QuickSilver.Membership.Kubernetes;

/// <summary>
/// Judges whether the holder of a Lease still renews it: the Lease has to change within its duration, by this process's
/// own clock. The times in it are those of other machines' clocks, and are not read. Any thread.
/// </summary>
/// <param name="time">The clock.</param>
internal sealed class LeaseWatch(TimeProvider time)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, (string Version, long Since)> _seen = [];

    /// <summary>True when somebody holds the lease, as far as is known.</summary>
    /// <param name="name">The Lease.</param>
    /// <param name="record">What it says, as it was read.</param>
    public bool IsHeld(string name, LeaseRecord record)
    {
        if (record.Holder.Length == 0) return false;
        lock (_lock)
        {
            long now = time.GetTimestamp();
            if (!_seen.TryGetValue(name, out (string Version, long Since) seen) || seen.Version != record.Version)
            {
                _seen[name] = (record.Version, now);
                return true;
            }
            return time.GetElapsedTime(seen.Since, now) < record.Duration;
        }
    }
}
