using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Paths;

/// <summary>
/// Judges, for one region view, whether what its senders multicast arrives here, and tells them.
/// <para>
/// Idea: each stream counts what came from its sender directly and what was found missing. Where for a second nearly everything is missing, the
/// multicast of that sender does not arrive, and the sender is told, at growing pauses, until something arrives. A slow stream needs three seconds
/// and four packets, none of which came. What is missing is known only where the socket was read past it, so a node that stood still judges nothing
/// before it has read what waited for it.
/// </para>
/// Cost: one count a packet; the judgement runs where packets are found missing. Core thread only.
/// </summary>
internal sealed class ArrivalJudge(Recoverer node, RegionRecovery region) : IFeed
{
    /// <summary>One that arrives for so many that are missing is nearly nothing.</summary>
    private const ulong NearlyAll = 16;

    private const ulong ManyMissing = 32;
    private const ulong SomeMissing = 4;
    private const int MostWords = 64;

    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Longer = TimeSpan.FromSeconds(3);

    private readonly Queue<(StreamReceiver Stream, CarrierWordBody Word)> _words = new();

    /// <summary>Packets of a stream were found missing.</summary>
    public void OnMissed(StreamReceiver stream, ulong missed, Instant now)
    {
        if (region.View.Multicast.IsNone || stream.Orphan is not null) return;
        ref ArrivalWindow window = ref stream.Arrivals;
        if (window.Began == Instant.Zero) window.Restart(stream.Direct, now);
        window.Missed += missed;
        TimeSpan age = now - window.Began;
        if (age < Shortest) return;
        ulong direct = stream.Direct - window.DirectBefore;
        if (direct * NearlyAll > window.Missed)
        {
            window.Restart(stream.Direct, now);
            return;
        }
        bool isUnheard = window.Missed >= ManyMissing || (direct == 0 && window.Missed >= SomeMissing && age >= Longer);
        if (!isUnheard || now < window.NextWord) return;
        if (window.Words == 0) node.Events.OnSenderUnheard(stream.Sender, now);
        window.OnWord(now);
        node.Probes.Hit(Mark.SenderUnheard);
        Say(stream, new CarrierWordBody(null));
    }

    /// <summary>A sender's probe came by multicast.</summary>
    public void OnProbe(StreamReceiver stream, ulong probe) => Say(stream, new CarrierWordBody(probe));

    /// <summary>Nothing more is said.</summary>
    public void Close() => _words.Clear();

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        while (_words.TryDequeue(out (StreamReceiver Stream, CarrierWordBody Word) said))
        {
            if (said.Stream.Sender.IsRemoved) continue;
            var writer = new WireWriter(node.Scratch.AsSpan(DatagramHeader.Length));
            said.Word.WriteTo(ref writer);
            train = node.Seal(node.Header(region.View, DatagramKind.CarrierWord), writer.Written, said.Stream.Sender);
            return true;
        }
        train = default;
        return false;
    }

    private void Say(StreamReceiver stream, CarrierWordBody word)
    {
        if (stream.Own is not null || _words.Count == MostWords) return;
        _words.Enqueue((stream, word));
        node.Roots.Register(this, PriorityClass.Request);
    }
}
