using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;
using QuickSilver.Transport.Sharing;
using static QuickSilver.Tests.Transport.Sharing.SharingRig;

namespace QuickSilver.Tests.Transport.Sharing;

/// <summary>Readers and owners that end silently, and what there may be at most.</summary>
public sealed class LostReaderTests
{
    [Fact]
    public void What_a_dead_reader_held_is_used_again()
    {
        using var rig = new SharingRig(Plain);
        (SharedMemory owner, TransportCounters counters) = (rig.Start(), rig.Counters);
        SharedMemory lost = rig.Start();
        SharedMemory frozen = rig.Start();
        Assert.True(lost.TryAttach(owner.Segment, 7) && frozen.TryAttach(owner.Segment, 8));
        for (int block = 0; block < Blocks; block++)
        {
            Chunk chunk = Fill(owner, 1);
            Borrow(block % 2 == 0 ? lost : frozen, NoteOf(owner, chunk), 1);
            chunk.Release();
        }
        Assert.Null(owner.TryRent(BufferOwner.Pending));
        uint before = owner.ReaderChanges;
        rig.Dead.Add(lost.Segment.Process);
        Assert.Null(owner.TryRent(BufferOwner.Pending));
        Assert.True(owner.IsReadBy(7));
        rig.Now += 1000;
        for (int block = 0; block < Blocks / 2; block++)
            Assert.Equal(0u, NoteOf(owner, Fill(owner, 2)).Place.Block % 2);
        Assert.Null(owner.TryRent(BufferOwner.Pending));
        Assert.Equal((1UL, 3UL), (counters.ReadersLost, counters.BlocksWanting));
        Assert.Equal(before + 1, owner.ReaderChanges);
        Assert.False(owner.IsReadBy(7));
        Assert.True(owner.IsReadBy(8));
    }

    [Fact]
    public void When_all_places_are_taken_dead_readers_make_room()
    {
        using var rig = new SharingRig(Plain);
        SharedMemory owner = rig.Start();
        SharedMemory[] readers = [.. Enumerable.Range(1, 64).Select(_ => rig.Start(1))];
        for (int index = 0; index < readers.Length; index++)
            Assert.True(readers[index].TryAttach(owner.Segment, (ulong)index + 1));
        SharedMemory late = rig.Start(1);
        for (int attempt = 0; attempt < 5; attempt++, rig.Now += 1000) Assert.False(late.TryAttach(owner.Segment, 100));
        owner.TryRent(BufferOwner.Pending)!.Release();
        Assert.False(late.TryAttach(owner.Segment, 100));
        rig.Dead.Add(readers[5].Segment.Process);
        rig.Now += 1000;
        Assert.False(late.TryAttach(owner.Segment, 100));
        owner.TryRent(BufferOwner.Pending)!.Release();
        Assert.False(late.TryAttach(owner.Segment, 100));
        rig.Now += 1000;
        Assert.True(late.TryAttach(owner.Segment, 100));
        Assert.True(owner.IsReadBy(100));
        Assert.False(owner.IsReadBy(6));
        readers[9].Dispose();
        Assert.True(rig.Start(1).TryAttach(owner.Segment, 101));
    }

    [Fact]
    public void At_most_so_many_segments_are_open_and_those_whose_owner_has_gone_make_room()
    {
        using var rig = new SharingRig(Plain);
        SharedMemory[] owners = [.. Enumerable.Range(1, 257).Select(_ => rig.Start(1))];
        SharedMemory reader = rig.Start(2);
        foreach (SharedMemory owner in owners[..256]) Assert.True(reader.TryAttach(owner.Segment, 7));
        Assert.False(reader.TryAttach(owners[256].Segment, 7));
        rig.Now += 1000;
        Slice held = Borrow(reader, NoteOf(owners[3], Fill(owners[3], 1)), 1);
        rig.Dead.Add(owners[3].Segment.Process);
        Assert.False(reader.TryAttach(owners[256].Segment, 7));
        rig.Now += 1000;
        rig.Dead.Add(owners[200].Segment.Process);
        owners[201].Dispose();
        Assert.True(reader.TryAttach(owners[256].Segment, 7));
        Assert.Equal(255, reader.Others.Count);
        AssertAll(held.Span, 1);
        held.Release();
    }

    [Fact]
    public void Names_that_lead_nowhere_are_given_up_and_not_remembered_for_ever()
    {
        using var rig = new SharingRig(Plain);
        SharedMemory reader = rig.Start();
        for (int attempt = 0; attempt < 10; attempt++) Assert.False(reader.TryAttach(new SegmentName(1, 2, 3), 7));
        Assert.Equal(3UL, rig.Counters.AttachesRefused);
        for (uint name = 0; name < 1000; name++) Assert.False(reader.TryAttach(new SegmentName(1, name, name), 7));
        Assert.Equal(64, reader.Others.RefusedCount);
    }

    [Fact]
    public void Whether_a_process_lives_is_told_by_its_number_and_its_start()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs /proc");
        uint self = (uint)Environment.ProcessId;
        ulong start = ProcessLife.StartOf(self);
        Assert.NotEqual(0UL, start);
        Assert.True(ProcessLife.IsAlive(new ProcessMark(self, start)));
        Assert.True(ProcessLife.IsAlive(new ProcessMark(self, 0)));
        Assert.False(ProcessLife.IsAlive(new ProcessMark(self, start + 1)));
        Assert.False(ProcessLife.IsAlive(new ProcessMark(uint.MaxValue, 0)));
        using var child = System.Diagnostics.Process.Start("sleep", "100");
        var mark = new ProcessMark((uint)child.Id, ProcessLife.StartOf((uint)child.Id));
        Assert.True(ProcessLife.IsAlive(mark));
        child.Kill();
        child.WaitForExit();
        Assert.False(ProcessLife.IsAlive(mark));
    }
}
