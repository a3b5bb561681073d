using System.Net;
using System.Text;
using QuickSilver.Protocol.Membership.Discovery;
using QuickSilver.Protocol.Wire;
using QuickSilver.Security;
using QuickSilver.Transport;

namespace QuickSilver.Membership.Discovery;

/// <summary>
/// The announcements of other processes that count now. What comes from the network is untrusted: it is checked,
/// bounded in number, and forgotten after <see cref="Life"/>. The numbers of senders that have become silent are kept
/// while there is room, so that a recorded announcement counts once at most. Any thread.
/// </summary>
/// <param name="cluster">The name of this node's cluster.</param>
/// <param name="keys">The keys of this node; null for none.</param>
/// <param name="own">The sender of this process.</param>
internal sealed class AnnouncementTable(string cluster, AcceptedKeys? keys, ulong own)
{
    /// <summary>The most senders that are known.</summary>
    public const int MostSenders = 64;

    /// <summary>The most senders of one address.</summary>
    public const int MostOfAddress = 8;

    /// <summary>The time for which an announcement counts: four may be lost in a row.</summary>
    public static readonly TimeSpan Life = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan KeysTime = TimeSpan.FromSeconds(1);

    private readonly byte[] _cluster = Encoding.UTF8.GetBytes(cluster);
    private readonly Lock _lock = new();
    private readonly Dictionary<ulong, Entry> _entries = [];
    private readonly long[] _counts = new long[Enum.GetValues<AnnouncementFault>().Length];
    private IReadOnlyList<SecurityKey> _keys = [];
    private TimeSpan? _keysRead;
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes when the next announcement counts that says something new: another sender, kind, term or
    /// address. That one is silent shows in <see cref="Read"/> alone.</summary>
    public Task Changed
    {
        get
        {
            lock (_lock) return _changed.Task;
        }
    }

    /// <summary>How many announcements had a fault.</summary>
    public long CountOf(AnnouncementFault fault)
    {
        lock (_lock) return _counts[(int)fault];
    }

    /// <summary>The processes that announce themselves now, those that serve first, then the highest term.</summary>
    /// <param name="now">The time, on a clock that does not go back.</param>
    public IReadOnlyList<AnnouncedServer> Read(TimeSpan now)
    {
        lock (_lock)
        {
            return
            [
                .. _entries.Values.Where(one => now - one.Heard < Life)
                    .Select(one => one.Said with { Age = now - one.Heard })
                    .OrderBy(static one => one.Kind).ThenByDescending(static one => one.Term)
                    .ThenBy(static one => one.Sender),
            ];
        }
    }

    /// <summary>Takes a datagram that was received.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <param name="source">Where it came from.</param>
    /// <param name="now">The time, on a clock that does not go back.</param>
    public AnnouncementFault Take(ReadOnlySpan<byte> datagram, IPAddress source, TimeSpan now)
    {
        lock (_lock)
        {
            AnnouncementFault fault = Judge(datagram, source, now);
            _counts[(int)fault]++;
            return fault;
        }
    }

    // The cheap checks are first: a proof takes a microsecond or two.
    private AnnouncementFault Judge(ReadOnlySpan<byte> datagram, IPAddress source, TimeSpan now)
    {
        if (!Announcement.TryRead(datagram, out Announcement read)) return AnnouncementFault.Malformed;
        if (!read.Cluster.SequenceEqual(_cluster)) return AnnouncementFault.OtherCluster;
        if (read.Sender == own) return AnnouncementFault.Own;
        _entries.TryGetValue(read.Sender, out Entry? known);
        if (known is not null && read.Number <= known.Number) return AnnouncementFault.Old;
        AnnouncementFault fault = JudgeProof(read, source, now);
        if (fault != AnnouncementFault.None) return fault;
        var said = new AnnouncedServer(
            read.Kind, read.Sender, AddressForms.ToEndPoint(read.EndPoint, ScopeOf(source)), read.Term, read.Members,
            IsProven: read.Key != 0, TimeSpan.Zero);
        // Without a proof anybody can name the sender of another process.
        if (known is { Said.IsProven: false } && now - known.Heard < Life
            && !known.Said.EndPoint.Address.Equals(said.EndPoint.Address))
            return AnnouncementFault.OtherAddress;
        if (known is null && !HasRoom(said.EndPoint.Address, now)) return AnnouncementFault.NoRoom;
        bool isNews = known is null || now - known.Heard >= Life || known.Said.Kind != said.Kind
            || known.Said.Term != said.Term || !known.Said.EndPoint.Equals(said.EndPoint);
        _entries[read.Sender] = new Entry(said, read.Number, now);
        if (isNews) Announce();
        return AnnouncementFault.None;
    }

    private AnnouncementFault JudgeProof(in Announcement read, IPAddress source, TimeSpan now)
    {
        if (keys is null)
        {
            if (read.Key != 0) return AnnouncementFault.OtherKey;
            return AddressForms.ToNet(source) == read.EndPoint.Address
                ? AnnouncementFault.None
                : AnnouncementFault.OtherAddress;
        }
        if (_keysRead is null || now - _keysRead >= KeysTime)
        {
            _keys = keys.Current;
            _keysRead = now;
        }
        foreach (SecurityKey key in _keys)
        {
            if (key.Id != read.Key) continue;
            return key.VerifyAnnouncement(read.Proven, read.Proof)
                ? AnnouncementFault.None
                : AnnouncementFault.WrongProof;
        }
        return AnnouncementFault.OtherKey;
    }

    // Those that are silent make room, the longest silent first.
    private bool HasRoom(IPAddress address, TimeSpan now)
    {
        if (_entries.Values.Count(one => one.Said.EndPoint.Address.Equals(address)) >= MostOfAddress
            && !TryForget(one => one.Said.EndPoint.Address.Equals(address), now))
            return false;
        return _entries.Count < MostSenders || TryForget(static _ => true, now);
    }

    private bool TryForget(Func<Entry, bool> fits, TimeSpan now)
    {
        Entry? silent = _entries.Values.Where(one => fits(one) && now - one.Heard >= Life)
            .MinBy(static one => one.Heard);
        return silent is not null && _entries.Remove(silent.Said.Sender);
    }

    private void Announce()
    {
        TaskCompletionSource changed = _changed;
        _changed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        changed.SetResult();
    }

    private static long ScopeOf(IPAddress source) => source.IsIPv6LinkLocal ? source.ScopeId : 0;

    private sealed record Entry(AnnouncedServer Said, ulong Number, TimeSpan Heard);
}
