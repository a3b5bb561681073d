using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Sending;

/// <summary>
/// The last messages of a sender with each key, as long as they are kept: a newer one names those that it replaces.
/// Holds at most one entry for each kept packet. O(1) a message; allocates nothing once it has grown.
/// </summary>
internal sealed class KeyTrails
{
    private readonly Dictionary<ulong, TimedReplaced> _byKey = [];

    /// <summary>Keys that are known.</summary>
    public int Count => _byKey.Count;

    /// <summary>The messages with a key before a new one, newest first; and remembers the new one.</summary>
    /// <param name="key">The key.</param>
    /// <param name="added">The new message.</param>
    /// <param name="isReplaceable">False for a message that no newer one will replace.</param>
    /// <param name="oldest">The oldest packet that is kept: what lies before is not named.</param>
    public TimedReplaced Follow(ulong key, in TimedReplaced.Entry added, bool isReplaceable, ulong oldest)
    {
        var before = default(TimedReplaced);
        var trail = default(TimedReplaced);
        if (isReplaceable) trail.Add(added);
        if (_byKey.TryGetValue(key, out TimedReplaced known))
        {
            for (int index = 0; index < known.Count && known[index].First >= oldest; index++)
            {
                before.Add(known[index]);
                trail.Add(known[index]);
            }
        }
        if (trail.Count > 0) _byKey[key] = trail;
        return before;
    }

    /// <summary>A kept packet has gone: its key is forgotten if nothing newer has it.</summary>
    public void Forget(ulong key, ulong sequence)
    {
        if (_byKey.TryGetValue(key, out TimedReplaced trail) && trail[0].First <= sequence) _byKey.Remove(key);
    }
}
