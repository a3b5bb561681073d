using System.Buffers.Binary;
using System.Collections.Concurrent;

namespace QuickSilver.Cli.Doctor;

/// <summary>
/// Sends messages of full datagrams to all other doctors of the cluster, in a group of their own, and notes what
/// arrives. So the nodes themselves find paths that drop multicast or long datagrams, both ways. A message begins with
/// the sender's time.
/// </summary>
internal sealed class Exchange : IAsyncDisposable
{
    /// <summary>The group of the doctors.</summary>
    public const string GroupName = "quicksilver.doctor";

    private const int Bytes = 4_000;
    private const int PerRound = 8;
    private static readonly TimeSpan Round = TimeSpan.FromMilliseconds(20);

    private readonly Group _group;
    private readonly ConcurrentDictionary<MemberId, Arrivals> _arrivals;

    private Exchange(Group group, ConcurrentDictionary<MemberId, Arrivals> arrivals) =>
        (_group, _arrivals) = (group, arrivals);

    /// <summary>Joins the group.</summary>
    public static async Task<Exchange> JoinAsync(QuickSilverNode node, CancellationToken stop)
    {
        var arrivals = new ConcurrentDictionary<MemberId, Arrivals>();
        var options = new GroupOptions
        {
            BufferBeforeFirstRead = false,
            SelfDelivery = false,
            OnMessage = (in message) =>
            {
                if (message.Payload.Length < sizeof(long)) return;
                long sent = BinaryPrimitives.ReadInt64LittleEndian(message.Payload);
                arrivals.GetOrAdd(message.Sender, static _ => new Arrivals()).Note(sent, DateTime.UtcNow.Ticks);
            },
        };
        return new Exchange(await node.JoinAsync(GroupName, options, stop).ConfigureAwait(false), arrivals);
    }

    /// <summary>True if another doctor is there.</summary>
    public bool HasPeers => _group.View.MemberCount > 1;

    /// <summary>How the group is carried now.</summary>
    public Carrier? Carrier => _group.View.Regions is [var region, ..] ? region.Carrier : null;

    /// <summary>Sends until cancelled; nothing while nobody else is there.</summary>
    public async Task SendAsync(CancellationToken end)
    {
        byte[] message = new byte[Bytes];
        using var rounds = new PeriodicTimer(Round);
        try
        {
            while (await rounds.WaitForNextTickAsync(end).ConfigureAwait(false))
            {
                if (!HasPeers) continue;
                for (int index = 0; index < PerRound; index++)
                {
                    BinaryPrimitives.WriteInt64LittleEndian(message, DateTime.UtcNow.Ticks);
                    if (_group.TrySend(message) != SendStatus.Accepted) break;
                }
            }
        }
        catch (OperationCanceledException) when (end.IsCancellationRequested)
        {
            // Its ordinary end.
        }
    }

    /// <summary>What arrived of each member that is there.</summary>
    public IReadOnlyList<PeerReport> Peers() =>
    [
        .. _group.View.Members.Where(member => member.Id != _group.Node.Id).Select(member =>
        {
            Arrivals? arrivals = _arrivals.GetValueOrDefault(member.Id);
            return new PeerReport(member.Name, member.Id, arrivals?.Count ?? 0, arrivals?.Lead);
        }),
    ];

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _group.DisposeAsync();

    // The message with the shortest way is closest to the difference of the clocks. Written by the core thread.
    private sealed class Arrivals
    {
        private long _count;
        private long _lead = long.MinValue;

        public long Count => Interlocked.Read(ref _count);

        public TimeSpan Lead => TimeSpan.FromTicks(Interlocked.Read(ref _lead));

        public void Note(long sent, long now)
        {
            long lead = unchecked(sent - now);
            if (lead > _lead) Interlocked.Exchange(ref _lead, lead);
            Interlocked.Increment(ref _count);
        }
    }
}
