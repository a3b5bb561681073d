using System.Collections.Concurrent;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport.Sharing;

namespace QuickSilver.Tests.Transport.Sharing;

/// <summary>An owner and readers at full speed, each on a thread: what is borrowed never changes while it is held, and
/// what is not there is refused.</summary>
public sealed class SharingRaceTests
{
    private const int Uses = 30_000;
    private const int Words = 64;
    private const int Readers = 2;
    private const int MostNotes = 6;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    public static TheoryData<string> Kinds => [SharingRig.Plain, SharingRig.Mapped];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void What_is_held_does_not_change(string kind)
    {
        using var rig = new SharingRig(kind);
        SharedMemory owner = rig.Start();
        var notes = new ConcurrentQueue<NoteBody>[Readers];
        var threads = new Thread[Readers];
        var tallies = new Tally[Readers];
        for (int index = 0; index < Readers; index++)
        {
            SharedMemory reader = rig.Start();
            Assert.True(reader.TryAttach(owner.Segment, (ulong)index + 1));
            ConcurrentQueue<NoteBody> queue = notes[index] = new ConcurrentQueue<NoteBody>();
            Tally tally = tallies[index] = new Tally();
            int seed = index;
            threads[index] = new Thread(() => Read(reader, queue, tally, seed)) { IsBackground = true };
            threads[index].Start();
        }

        int written = Write(owner, notes, tallies);
        foreach (Thread thread in threads) Assert.True(thread.Join(TimeSpan.FromSeconds(60)), "a reader hangs");
        Assert.True(written > 10 * SharingRig.Blocks, "blocks were not used again");
        foreach (Tally tally in tallies)
        {
            Assert.Null(tally.Wrong);
            Assert.True(tally.Borrowed > 0, "nothing was borrowed");
            Assert.True(tally.Refused > 0, "no note came late");
        }
        Assert.Equal(0, owner.Own.Outstanding);
        for (int block = 0; block < SharingRig.Blocks; block++) Assert.NotNull(owner.TryRent(BufferOwner.Pending));
    }

    private static int Write(SharedMemory owner, ConcurrentQueue<NoteBody>[] notes, Tally[] tallies)
    {
        int written = 0;
        var random = new Random(1);
        Queue<Chunk> kept = new();
        for (int use = 0; use < Uses && Array.TrueForAll(tallies, static tally => tally.Wrong is null); use++)
        {
            if (kept.Count > 2) kept.Dequeue().Release();
            if (owner.TryRent(BufferOwner.Pending) is not { } chunk)
            {
                if (kept.TryDequeue(out Chunk? oldest)) oldest.Release();
                Thread.Yield();
                continue;
            }
            written++;
            owner.TryLocate(new Slice(chunk, 0, Words * sizeof(ulong)), out NoteBody note);
            Pattern(chunk.AsSpan(0, Words * sizeof(ulong)), note.Place, write: true);
            foreach (ConcurrentQueue<NoteBody> queue in notes)
            {
                // No further ahead than that notes are of blocks still lent, of blocks just released, and of blocks
                // used again.
                SpinWait.SpinUntil(() => queue.Count < MostNotes, Patience);
                queue.Enqueue(note);
            }
            if (random.Next(4) == 0) chunk.Release();
            else kept.Enqueue(chunk);
        }
        foreach (Chunk chunk in kept) chunk.Release();
        foreach (ConcurrentQueue<NoteBody> queue in notes) queue.Enqueue(default);
        return written;
    }

    private static void Read(SharedMemory reader, ConcurrentQueue<NoteBody> notes, Tally tally, int seed)
    {
        var random = new Random(seed);
        Queue<(Slice Slice, LentPlace Place)> held = new();
        while (tally.Wrong is null)
        {
            if (!notes.TryDequeue(out NoteBody note))
            {
                Thread.Yield();
                continue;
            }
            if (note.Place.Length == 0) break;
            if (reader.TryBorrow(note, out Slice slice))
            {
                tally.Borrowed++;
                if (!Pattern(slice.Span, note.Place, write: false)) tally.Wrong = $"{note.Place} when it was borrowed";
                held.Enqueue((slice, note.Place));
            }
            else
            {
                tally.Refused++;
            }
            while (held.Count > random.Next(6))
            {
                (Slice old, LentPlace place) = held.Dequeue();
                if (!Pattern(old.Span, place, write: false)) tally.Wrong = $"{place} after it was held";
                old.Release();
            }
        }
        foreach ((Slice slice, LentPlace _) in held) slice.Release();
    }

    private static bool Pattern(Span<byte> bytes, LentPlace place, bool write)
    {
        Span<ulong> words = System.Runtime.InteropServices.MemoryMarshal.Cast<byte, ulong>(bytes);
        ulong first = (((ulong)place.Block << 32) | place.Generation) * 0x9E37_79B9_7F4A_7C15;
        for (int index = 0; index < words.Length; index++)
        {
            if (write) words[index] = first + (ulong)index;
            else if (words[index] != first + (ulong)index) return false;
        }
        return true;
    }

    private sealed class Tally
    {
        public int Borrowed { get; set; }

        public int Refused { get; set; }

        public string? Wrong { get; set; }
    }
}
