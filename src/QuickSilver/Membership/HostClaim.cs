using System.Security.Cryptography;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Membership;

/// <summary>
/// A host's claim to be the only one that serves its cluster, against other hosts that its configuration names.
/// <para>
/// Idea: a host that has begun admits nobody before it has asked the others, and says of itself that it has not decided yet. One that serves already
/// goes before one that has not decided; of two that have not, the one with the lower stamp, then the lower id, and both know both, since a question
/// carries them as an answer does. So whoever comes second sees the first, in whichever order they ask.
/// </para>
/// Any thread: the host's loop answers while a task asks.
/// </summary>
internal sealed class HostClaim
{
    private static readonly TimeSpan SayAgain = TimeSpan.FromSeconds(55);

    private readonly Lock _lock = new();
    private readonly string _cluster;
    private readonly ulong _stamp = (ulong)TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds();
    private readonly ulong _id = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong)));
    private readonly Dictionary<ulong, long> _said = [];
    private bool _serves;
    private string? _rival;

    /// <summary>Makes the claim of a host.</summary>
    /// <param name="cluster">Its cluster.</param>
    /// <param name="serves">True when it has nobody to ask.</param>
    public HostClaim(string cluster, bool serves)
    {
        _cluster = cluster;
        _serves = serves;
    }

    /// <summary>True while nobody may be admitted.</summary>
    public bool IsUndecided
    {
        get
        {
            lock (_lock) return !_serves;
        }
    }

    /// <summary>What the host says of itself.</summary>
    /// <param name="nodes">How many are registered.</param>
    public HostClaimFrame ToFrame(int nodes)
    {
        lock (_lock) return new HostClaimFrame { ClusterName = _cluster, Stamp = _stamp, Id = _id, Serves = _serves, Nodes = nodes };
    }

    /// <summary>Another host has said of itself what it is.</summary>
    /// <param name="other">Its words.</param>
    /// <param name="place">Where it is, for people.</param>
    /// <returns>True when both serve, and it is time to say so.</returns>
    public bool OnOther(HostClaimFrame other, string place)
    {
        if (other.Id == _id || other.ClusterName != _cluster) return false;
        lock (_lock)
        {
            if (_serves) return other.Serves && IsTimeToSay(other.Id);
            var own = new HostClaimFrame { Stamp = _stamp, Id = _id };
            if (other.Serves || other.GoesBefore(own)) _rival ??= place;
            return false;
        }
    }

    /// <summary>Ends the time of asking.</summary>
    /// <returns>Where the host is that goes before this one; null: this one serves.</returns>
    public string? Decide()
    {
        lock (_lock)
        {
            if (_rival is not null) return _rival;
            _serves = true;
            return null;
        }
    }

    private bool IsTimeToSay(ulong id)
    {
        long now = Environment.TickCount64;
        if (_said.TryGetValue(id, out long last) && now - last < SayAgain.TotalMilliseconds) return false;
        if (_said.Count > 64) _said.Clear();
        _said[id] = now;
        return true;
    }
}
