using System.Security.Cryptography;
using Microsoft.Win32.SafeHandles;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;
using QuickSilver.Transport.Sharing;

namespace QuickSilver.Tests.Transport.Sharing;

/// <summary>Names of segments come from the network: whatever they lead to, nothing but a segment is opened, and nobody
/// is hurt.</summary>
public sealed class HostileNamesTests : IDisposable
{
    private const int Blocks = 2;
    private const int AllSeals = SegmentNative.SealShrink | SegmentNative.SealGrow | SegmentNative.SealSeal;

    private readonly SharedMemory? _reader;
    private readonly SharedMemory? _owner;
    private readonly ulong _key = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(8));

    public HostileNamesTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "memory that processes share is for Linux");
        _reader = SharedMemory.TryCreate(new TransportCounters(), out _, Blocks);
        _owner = SharedMemory.TryCreate(new TransportCounters(), out _, Blocks);
        Assert.True(_reader is not null && _owner is not null);
    }

    public void Dispose()
    {
        _reader?.Dispose();
        _owner?.Dispose();
    }

    [Fact]
    public void The_right_name_alone_opens_it()
    {
        SegmentName name = _owner!.Segment;
        AssertRefused(name with { Key = name.Key + 1 });
        AssertRefused(name with { Descriptor = name.Descriptor + 10_000 });
        AssertRefused(name with { Descriptor = uint.MaxValue });
        AssertRefused(name with { Process = 0 });
        AssertRefused(name with { Process = uint.MaxValue });
        AssertRefused(name with { Process = 1 });
        AssertRefused(name with { Descriptor = _reader!.Segment.Descriptor });
        Assert.True(_reader.TryAttach(name, 7));
    }

    [Fact]
    public void A_segment_that_was_closed_is_not_found()
    {
        SegmentName name = _owner!.Segment;
        _owner.Dispose();
        AssertRefused(name);
    }

    [Fact]
    public void Other_things_are_not_opened()
    {
        string path = Path.GetTempFileName();
        using (FileStream file = File.OpenRead(path)) AssertRefused(NameOf(file.SafeFileHandle));
        File.Delete(path);
        using var pipe = new System.IO.Pipes.AnonymousPipeServerStream();
        AssertRefused(
            new SegmentName(_key, (uint)Environment.ProcessId, (uint)pipe.SafePipeHandle.DangerousGetHandle()));
        using SafeFileHandle device = File.OpenHandle("/dev/zero");
        AssertRefused(NameOf(device));
    }

    [Fact]
    public void Memory_must_be_whole_sealed_and_what_was_named()
    {
        long right = SegmentLayout.TotalBytes(Blocks);
        byte[] header = Header();
        AssertRefused("quicksilver", right, header, seals: 0);
        AssertRefused("quicksilver", right, header, SegmentNative.SealGrow);
        AssertRefused("something", right, header, AllSeals);
        AssertRefused("quicksilver", right, [], AllSeals);
        AssertRefused("quicksilver", 0, [], AllSeals);
        AssertRefused("quicksilver", 20, header.AsSpan(0, 20), AllSeals);
        AssertRefused("quicksilver", right - 4096, header, AllSeals);
        AssertRefused("quicksilver", right + 4096, header, AllSeals);
        for (int at = 0; at < header.Length; at++)
        {
            byte[] wrong = [.. header];
            wrong[at] ^= 0x40;
            // What the owner's start is nobody can check; one that is wrong is of a process that is gone.
            if (at is < 32 or >= 40) AssertRefused("quicksilver", right, wrong, AllSeals);
        }

        using SafeFileHandle good = Memory("quicksilver", right, header, AllSeals);
        Assert.True(_reader!.TryAttach(NameOf(good), 7));
    }

    // As the owner's, with a key of the test's.
    private byte[] Header()
    {
        byte[] header = new byte[SegmentLayout.HeaderBytes];
        using SafeFileHandle owner = File.OpenHandle($"/proc/self/fd/{_owner!.Segment.Descriptor}");
        RandomAccess.Read(owner, header, 0);
        BitConverter.TryWriteBytes(header.AsSpan(24), _key);
        return header;
    }

    private SegmentName NameOf(SafeFileHandle descriptor) =>
        new(_key, (uint)Environment.ProcessId, (uint)descriptor.DangerousGetHandle());

    private static SafeFileHandle Memory(string label, long length, ReadOnlySpan<byte> header, int seals)
    {
        int descriptor = SegmentNative.MemoryCreate(label, SegmentNative.CloseOnExec | SegmentNative.AllowSealing);
        Assert.True(descriptor >= 0);
        var memory = new SafeFileHandle(descriptor, ownsHandle: true);
        RandomAccess.SetLength(memory, length);
        if (header.Length > 0) RandomAccess.Write(memory, header, 0);
        Assert.Equal(0, SegmentNative.Control(memory, SegmentNative.AddSeals, seals));
        return memory;
    }

    private void AssertRefused(string label, long length, ReadOnlySpan<byte> header, int seals)
    {
        using SafeFileHandle memory = Memory(label, length, header, seals);
        AssertRefused(NameOf(memory));
    }

    // By a reader of its own: descriptors' numbers come again, and names that were refused often are given up.
    private static void AssertRefused(SegmentName name)
    {
        var counters = new TransportCounters();
        using SharedMemory reader = SharedMemory.TryCreate(counters, out _, Blocks)!;
        Assert.False(reader.TryAttach(name, 7));
        Assert.Equal(1UL, counters.AttachesRefused);
    }
}
