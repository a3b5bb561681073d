using System.Net;
using QuickSilver.Protocol.Membership.Discovery;

namespace QuickSilver.Membership.Discovery;

/// <summary>
/// All ways by which one node finds servers that its configuration does not name. <see cref="FindAsync"/> is called by
/// one connector, one call at a time; all else on any thread.
/// </summary>
internal sealed class ServerDiscovery : IAsyncDisposable
{
    /// <summary>How long a process listens before it concludes that nobody announces: more than the pause between two
    /// announcements.</summary>
    public static readonly TimeSpan ListenTime = TimeSpan.FromSeconds(1.5);

    private static readonly Task Never = new TaskCompletionSource().Task;

    private readonly MulticastAnnouncements? _announcements;
    private readonly DiscoverySource[] _sources;
    private readonly TimeProvider _time;
    private readonly long _begun;

    /// <summary>Combines ways; it disposes of them.</summary>
    /// <param name="announcements">Announcements by multicast; null for none.</param>
    /// <param name="sources">Further sources.</param>
    /// <param name="time">Measures how long was listened; null for the clock of the machine.</param>
    public ServerDiscovery(
        MulticastAnnouncements? announcements, IEnumerable<DiscoverySource> sources, TimeProvider? time = null)
    {
        _announcements = announcements;
        _sources = [.. sources];
        _time = time ?? TimeProvider.System;
        _begun = _time.GetTimestamp();
        announcements?.Start();
    }

    /// <summary>The other processes that announce themselves now: servers and candidates of this node's cluster and
    /// key. Empty where announcements are off.</summary>
    public IReadOnlyList<AnnouncedServer> Announced => _announcements?.Table.Read(_announcements.Now) ?? [];

    /// <summary>Completes when the next process announces itself, or something new of itself; never where announcements
    /// are off.</summary>
    public Task AnnouncedChange => _announcements?.Table.Changed ?? Never;

    /// <summary>Announces what a function says of this process from now on; null: nothing. It is called at least once a
    /// second, and has to be short.</summary>
    public void Announce(Func<OwnAnnouncement?> own) => _announcements?.Announce(own);

    /// <summary>There may be something new to announce.</summary>
    public void Wake() => _announcements?.Wake();

    /// <summary>The node uses another address of the machine from now on.</summary>
    public void OnAddressChanged(IPAddress after) => _announcements?.MoveTo(after);

    /// <summary>Waits until announcements were listened for as long as one takes at most to come.</summary>
    public async Task ListenAsync(CancellationToken stop)
    {
        if (_announcements is null) return;
        TimeSpan left = ListenTime - _time.GetElapsedTime(_begun);
        if (left > TimeSpan.Zero) await Task.Delay(left, _time, stop).ConfigureAwait(false);
    }

    /// <summary>Finds the addresses of servers: those that announce themselves first, then those of sources.</summary>
    /// <param name="withCandidates">True for processes that may serve, too.</param>
    /// <param name="stop">Cancels the search.</param>
    public async ValueTask<IReadOnlyList<(string Host, int Port)>> FindAsync(
        bool withCandidates, CancellationToken stop)
    {
        var found = new List<(string Host, int Port)>();
        foreach (AnnouncedServer one in Announced)
        {
            if (withCandidates || one.Kind == AnnouncementKind.Server)
                found.Add((one.EndPoint.Address.ToString(), one.EndPoint.Port));
        }
        IReadOnlyList<(string Host, int Port)>[] told = await Task.WhenAll(
            _sources.Select(source => source.FindAsync(stop))).ConfigureAwait(false);
        return [.. found.Concat(told.SelectMany(static all => all)).Distinct()];
    }

    /// <summary>Says where servers are looked for, and that none is there: the same text while nothing changes.
    /// </summary>
    public string DescribeNone() => string.Join("; ", _sources.Select(static one => one.Describe()).Prepend(
        _announcements is not { } way
            ? ""
            : way.Fault.Length > 0
                ? $"{way.Describe()} cannot be received: {way.Fault}"
                : $"no server of the cluster is heard by {way.Describe()}").Where(static one => one.Length > 0));

    /// <summary>Says the same with the numbers of announcements that do not count.</summary>
    public string Describe()
    {
        string none = DescribeNone();
        if (_announcements is not { Table: { } table }) return none;
        string ignored = string.Join(", ", new (AnnouncementFault Fault, string Text)[]
        {
            (AnnouncementFault.OtherCluster, "of other clusters"),
            (AnnouncementFault.OtherKey, "with another key, or without one"),
            (AnnouncementFault.WrongProof, "with a wrong proof"),
            (AnnouncementFault.OtherAddress, "from other addresses than they offer"),
            (AnnouncementFault.Malformed, "malformed"),
        }.Select(one => (Count: table.CountOf(one.Fault), one.Text)).Where(static one => one.Count > 0)
            .Select(static one => $"{one.Count} {one.Text}"));
        return ignored.Length == 0 ? none : $"{none} (ignored: {ignored})";
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_announcements is not null) await _announcements.DisposeAsync().ConfigureAwait(false);
        foreach (DiscoverySource source in _sources) await source.DisposeAsync().ConfigureAwait(false);
    }
}
