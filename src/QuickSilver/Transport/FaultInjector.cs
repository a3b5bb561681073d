using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.InteropServices;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;

namespace QuickSilver.Transport;

/// <summary>
/// Drops some of the datagrams that a transport receives, chosen by a seeded generator, control datagrams included. It
/// splits a read by the lengths in the headers, so that single datagrams of a train are lost, and moves the rest
/// together. The reader thus sees a train with missing members, as after a loss on the network. Bytes without a valid
/// header stay as they are.
/// </summary>
/// <param name="inner">The transport to receive from; this object disposes of it.</param>
/// <param name="dropRate">The share of datagrams to drop, from 0 to 1.</param>
/// <param name="seed">The seed of the choice, which is repeatable for the same sequence of datagrams.</param>
/// <param name="deafEvery">The interval of periods in which every datagram is dropped; the first begins after this
/// time.</param>
/// <param name="deafFor">The length of such a period; zero for none.</param>
/// <param name="nodeSwitch">What a test turns while the node runs; null for none.</param>
internal sealed class FaultInjector(
    IHostTransport inner, double dropRate, ulong seed, TimeSpan deafEvery = default, TimeSpan deafFor = default,
    NodeSwitch? nodeSwitch = null)
    : IHostTransport
{
    private readonly SeededRandom _random = new(seed);
    private readonly long _start = Stopwatch.GetTimestamp();

    /// <summary>Counts drops as <see cref="RejectReason.Injected"/>; null to count them in <see cref="Dropped"/>
    /// only.</summary>
    public RejectCounters? CountInto { get; set; }

    /// <summary>The number of datagrams dropped so far.</summary>
    public ulong Dropped { get; private set; }

    /// <inheritdoc/>
    public TransportFacts Facts => inner.Facts;

    /// <inheritdoc/>
    public TransportChoice Choice => inner.Choice;

    /// <inheritdoc/>
    public TransportCounters Counters => inner.Counters;

    /// <inheritdoc/>
    public ISharedMemory? SharedMemory => inner.SharedMemory;

    /// <inheritdoc/>
    public bool HasReady => inner.HasReady;

    /// <inheritdoc/>
    public ulong BytesRead => inner.BytesRead;

    /// <inheritdoc/>
    public int Take(List<Completion> batch, int room)
    {
        int first = batch.Count;
        if (inner.Take(batch, room) == 0) return 0;
        Span<Completion> taken = CollectionsMarshal.AsSpan(batch)[first..];
        int kept = 0;
        foreach (Completion completion in taken)
        {
            if (completion.IsDrained)
            {
                taken[kept++] = completion;
                continue;
            }
            bool isCut = nodeSwitch is not null && nodeSwitch.Drops(completion.Source);
            int length = Thin(completion.Buffer.AsSpan(completion.Offset, completion.Length), isCut);
            if (length == 0)
            {
                inner.Recycle(completion);
                continue;
            }
            PriorityClass priority = DatagramKinds.PriorityOfRead(completion.Buffer.AsSpan(completion.Offset, length));
            taken[kept++] = completion with { Length = length, Priority = priority };
        }
        batch.RemoveRange(first + kept, taken.Length - kept);
        return kept;
    }

    /// <inheritdoc/>
    public void Recycle(in Completion completion) => inner.Recycle(completion);

    /// <inheritdoc/>
    public bool Wait(TimeSpan limit) => inner.Wait(limit);

    /// <inheritdoc/>
    public void Wake() => inner.Wake();

    /// <inheritdoc/>
    public IRegionChannel? Open(NetEndpoint group, bool receive) => inner.Open(group, receive);

    /// <inheritdoc/>
    public void Close(IRegionChannel channel, bool receive) => inner.Close(channel, receive);

    /// <inheritdoc/>
    public SendOutcome Send(in Train train) =>
        nodeSwitch is { IsMute: true } ? SendOutcome.Sent : inner.Send(train);

    /// <inheritdoc/>
    public bool TryMove(NetworkChoice network, bool multicast, string reason) =>
        inner.TryMove(network, multicast, reason);

    /// <inheritdoc/>
    public ulong ReadSocketDrops() => inner.ReadSocketDrops();

    /// <inheritdoc/>
    public void Dispose() => inner.Dispose();

    private int Thin(Span<byte> read, bool isCut)
    {
        int kept = 0;
        int position = 0;
        bool isDeaf = isCut || IsDeaf();
        double rate = nodeSwitch is null ? dropRate : Math.Max(dropRate, nodeSwitch.Loss);
        while (position < read.Length)
        {
            int length = LengthOfFirst(read[position..]);
            if (isDeaf || _random.NextDouble() < rate)
            {
                Dropped++;
                CountInto?.Count(RejectReason.Injected);
            }
            else
            {
                if (kept != position) read.Slice(position, length).CopyTo(read[kept..]);
                kept += length;
            }
            position += length;
        }
        return kept;
    }

    private bool IsDeaf()
    {
        if (deafFor <= TimeSpan.Zero) return false;
        TimeSpan since = Stopwatch.GetElapsedTime(_start);
        return since >= deafEvery && since.Ticks % deafEvery.Ticks < deafFor.Ticks;
    }

    private static int LengthOfFirst(ReadOnlySpan<byte> rest)
    {
        if (rest.Length < DatagramHeader.Length) return rest.Length;
        int length = BinaryPrimitives.ReadUInt16LittleEndian(rest[DatagramHeader.TotalLengthOffset..]);
        return length < DatagramHeader.Length || length > rest.Length ? rest.Length : length;
    }
}
