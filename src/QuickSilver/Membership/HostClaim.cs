using System.Security.Cryptography;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Membership;

/// <summary>
/// A host's claim to be the only one that serves its cluster, against other hosts that its configuration names.
/// <para>
/// Idea: a new host admits no node before it has asked the other hosts, and announces itself as undecided. A serving
/// host takes precedence over an undecided one. Of two undecided hosts, the lower stamp takes precedence, then the
/// lower id. Both hosts know both claims, because a question carries a claim as an answer does. The later host thus
/// learns of the earlier one, in any order of questions.
/// </para>
/// Any thread: the host's loop answers while a task asks.
/// </summary>
internal sealed class HostClaim
{
    private static readonly TimeSpan RepeatInterval = TimeSpan.FromSeconds(55);

    private readonly Lock _lock = new();
    private readonly string _cluster;
    private readonly ulong _stamp = (ulong)TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds();
    private readonly ulong _id = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong)));
    private readonly Dictionary<ulong, long> _reported = [];
    private bool _serves;
    private string? _rival;

    /// <summary>Creates the claim of a host.</summary>
    /// <param name="cluster">The name of the host's cluster.</param>
    /// <param name="serves">True when there is no other host to ask.</param>
    public HostClaim(string cluster, bool serves)
    {
        _cluster = cluster;
        _serves = serves;
    }

    /// <summary>True while the host may admit no node.</summary>
    public bool IsUndecided
    {
        get
        {
            lock (_lock) return !_serves;
        }
    }

    /// <summary>Creates the frame that announces the claim.</summary>
    /// <param name="nodes">The number of registered nodes.</param>
    public HostClaimFrame ToFrame(int nodes)
    {
        lock (_lock)
        {
            return new HostClaimFrame
            {
                ClusterName = _cluster,
                Stamp = _stamp,
                Id = _id,
                Serves = _serves,
                Nodes = nodes,
            };
        }
    }

    /// <summary>Compares the claim of another host with this one.</summary>
    /// <param name="other">The claim of the other host.</param>
    /// <param name="place">Its address, for diagnostics.</param>
    /// <returns>True when both serve, and the rivalry is to be reported now.</returns>
    public bool OnOther(HostClaimFrame other, string place)
    {
        if (other.Id == _id || other.ClusterName != _cluster) return false;
        lock (_lock)
        {
            if (_serves) return other.Serves && IsTimeToReport(other.Id);
            var own = new HostClaimFrame { Stamp = _stamp, Id = _id };
            if (other.Serves || other.GoesBefore(own)) _rival ??= place;
            return false;
        }
    }

    /// <summary>Ends the undecided phase.</summary>
    /// <returns>The address of a host that takes precedence; null when this host serves.</returns>
    public string? Decide()
    {
        lock (_lock)
        {
            if (_rival is not null) return _rival;
            _serves = true;
            return null;
        }
    }

    private bool IsTimeToReport(ulong id)
    {
        long now = Environment.TickCount64;
        if (_reported.TryGetValue(id, out long last) && now - last < RepeatInterval.TotalMilliseconds) return false;
        if (_reported.Count > 64) _reported.Clear();
        _reported[id] = now;
        return true;
    }
}
