using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// Which members a node finds silent by its own asking, over all its region views, and how often that has begun: an episode a member, however many
/// hops were given up in it and however many views the two share.
/// <para>
/// A member is suspect once it has answered nothing for a second of asking. What answers within that, because it starts, compiles or is busy, is not:
/// hops are given up after a tenth of that time. An answer ends the episode, and so does its removal; after a pause of ten seconds in which it was
/// asked nothing it is found anew.
/// </para>
/// Cost: nothing but a comparison an answer while nobody is silent; O(1) a hop given up. Core thread only.
/// </summary>
/// <param name="counters">Where episodes are counted.</param>
internal sealed class Suspicions(RecoveryCounters counters)
{
    private static readonly TimeSpan Doubt = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(10);

    private readonly Dictionary<ulong, Silence> _silences = [];

    /// <summary>Members that are suspect now.</summary>
    public int Count { get; private set; }

    /// <summary>A member has answered none of the sends of a hop.</summary>
    /// <param name="member">Key of its number.</param>
    /// <param name="now">The present instant.</param>
    public void OnUnanswered(ulong member, Instant now)
    {
        if (_silences.TryGetValue(member, out Silence silence) && now - silence.Last > LongestPause) OnAnswered(member);
        if (!_silences.TryGetValue(member, out silence)) silence.Since = now;
        silence.Last = now;
        if (!silence.IsSuspect && now - silence.Since >= Doubt)
        {
            silence.IsSuspect = true;
            Count++;
            counters.Suspicions++;
        }
        _silences[member] = silence;
    }

    /// <summary>A member has answered, in whatever view, or is removed.</summary>
    /// <param name="member">Key of its number.</param>
    public void OnAnswered(ulong member)
    {
        if (_silences.Count > 0 && _silences.Remove(member, out Silence silence) && silence.IsSuspect) Count--;
    }

    private struct Silence
    {
        public Instant Since;
        public Instant Last;
        public bool IsSuspect;
    }
}
