using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Paths;

/// <summary>
/// Answers members that ask for the length of datagrams that reach them. Sends fillers of falling length to the
/// member's data socket, as repairs go, then the answer to its control socket. One member gets fillers at most once in
/// <see cref="Pause"/>; all go to addresses of the view.
/// </summary>
internal sealed class PathEcho(RecoveryContext node) : IFeed
{
    private const int MostJobs = 256;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(30);

    private readonly Queue<Job> _jobs = new();
    private readonly Dictionary<ulong, Instant> _filled = [];
    private readonly HashSet<ulong> _blocked = [];
    private readonly int[] _lengths = new int[PathAnswerBody.MaxFillers];
    private int _fillers;
    private int _sent;
    private bool _isUnderWay;

    private readonly record struct Job(RegionView View, NodeInfo Member, PathQueryBody Query);

    /// <summary>Takes a query of a member of a view that this node sends to, or is in.</summary>
    public RejectReason OnQuery(RegionView view, NodeInfo member, in PathQueryBody query, Instant now)
    {
        if (_jobs.Count == MostJobs) return RejectReason.NoRoom;
        ulong key = member.Number.Key;
        if (query.WantsFillers && _filled.TryGetValue(key, out Instant last) && now - last < Pause)
            return RejectReason.None;
        if (query.WantsFillers) _filled[key] = now;
        if (!query.IsBlocked) _blocked.Remove(key);
        else if (_blocked.Add(key)) node.Events.OnPathBlocked(member, isInbound: false, now);
        if (node.Paths.Tell(key, query.Longest))
        {
            node.Probes.Reached(
                query.Longest > 0
                    ? "a member says that this node's datagrams must be shorter"
                    : "a member says that this node's datagrams may be of any length again");
            node.Disseminator.OnPathChanged(member);
            node.Events.OnPathTold(member, query.Longest, now);
        }
        _jobs.Enqueue(new Job(view, member, query));
        node.Roots.Register(this, PriorityClass.Request);
        return RejectReason.None;
    }

    /// <summary>A member is gone.</summary>
    public void Forget(ulong member)
    {
        _filled.Remove(member);
        _blocked.Remove(member);
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        train = default;
        while (_jobs.TryPeek(out Job job))
        {
            if (job.Member.IsRemoved)
            {
                End();
                continue;
            }
            if (!_isUnderWay) Begin(job);
            train = _sent < _fillers ? MakeFiller(job) : MakeAnswer(job);
            return true;
        }
        return false;
    }

    private void Begin(in Job job)
    {
        _isUnderWay = true;
        _sent = 0;
        int longest = node.Transport.Facts.SlotBytes;
        int limit = job.Member.LongestDatagram;
        if (limit > 0) longest = Math.Min(longest, Math.Max(PathLadder.Floor, limit));
        _fillers = job.Query.WantsFillers ? PathLadder.CopyTo(longest, _lengths) : 0;
    }

    private void End()
    {
        _jobs.Dequeue();
        _isUnderWay = false;
    }

    private Train MakeFiller(in Job job)
    {
        int length = _lengths[_sent++];
        Span<byte> datagram = node.Scratch.AsSpan(0, length);
        PathFillerBody.Write(datagram[DatagramHeader.Length..], job.Query.Nonce);
        node.Header(job.View, DatagramKind.PathFiller).WriteTo(datagram);
        return new Train(node.Scratch.AsMemory(0, length), length, TrainRoute.Unicast, job.Member.Data, null);
    }

    private Train MakeAnswer(in Job job)
    {
        var writer = new WireWriter(node.Scratch.AsSpan(DatagramHeader.Length));
        PathAnswerBody.Write(ref writer, job.Query.Nonce, job.Query.Longest, _lengths.AsSpan(0, _fillers));
        Train train = node.Seal(node.Header(job.View, DatagramKind.PathAnswer), writer.Written, job.Member);
        End();
        return train;
    }
}
