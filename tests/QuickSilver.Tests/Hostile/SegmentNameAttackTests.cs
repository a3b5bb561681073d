using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Microsoft.Win32.SafeHandles;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;
using QuickSilver.Transport.Sharing;

namespace QuickSilver.Tests.Hostile;

/// <summary>
/// A node opens what a datagram names: a process and its descriptor. Opening a file, a pipe or a device is an act of
/// its own, which a neighbour must not be able to have a node do for it.
/// </summary>
public sealed partial class SegmentNameAttackTests : IDisposable
{
    private const int Blocks = 2;
    private const string Nobody = "65534";

    private readonly LinuxSegments? _host;
    private readonly SegmentMemory? _own;
    private readonly string _folder = Directory.CreateTempSubdirectory("quicksilver-hostile-").FullName;
    private readonly ulong _key = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(8));

    public SegmentNameAttackTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "memory that processes share is for Linux");
        _host = LinuxSegments.TryFind(out _);
        _own = _host?.TryMake(_key, Blocks, out _);
        Assert.NotNull(_own);
    }

    public void Dispose()
    {
        _own?.Close();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void A_descriptor_that_is_swapped_while_it_is_looked_at_opens_nothing()
    {
        string pipe = MakePipe();
        using var watch = new OpenWatch(pipe);
        using SafeFileHandle reached = SegmentNative.Reach(pipe);
        using var memory = new SafeFileHandle(
            SegmentNative.MemoryCreate("quicksilver", SegmentNative.CloseOnExec), ownsHandle: true);
        using SafeFileHandle offered = SegmentNative.Reach(pipe);
        Assert.True(!reached.IsInvalid && !memory.IsInvalid && !offered.IsInvalid);
        var name = new SegmentName(_key, (uint)Environment.ProcessId, (uint)offered.DangerousGetHandle());
        bool isOver = false;
        var swapper = new Thread(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                _ = Duplicate(memory, offered, 0);
                _ = Duplicate(reached, offered, 0);
            }
        });
        swapper.Start();
        bool wasOpened = false;
        long until = Stopwatch.GetTimestamp() + (2 * Stopwatch.Frequency);
        for (int tries = 0; !wasOpened && tries < 100_000 && Stopwatch.GetTimestamp() < until; tries++)
        {
            Assert.Null(_host!.TryOpen(name));
            wasOpened = watch.WasOpened;
        }
        Volatile.Write(ref isOver, true);
        swapper.Join();
        Assert.False(wasOpened, "the pipe was opened");
    }

    [Fact]
    public void A_users_own_files_are_not_opened_either()
    {
        // Regular files, of this user, in memory: all that says that they are no segment is where they lie.
        Assert.SkipUnless(Directory.Exists("/dev/shm"), "there is no file system in memory here");
        string path = Path.Combine("/dev/shm", Path.GetRandomFileName() + " memfd:quicksilver");
        File.WriteAllText(path, "mine");
        try
        {
            using var watch = new OpenWatch(path);
            using SafeFileHandle reached = SegmentNative.Reach(path);
            Assert.Null(
                _host!.TryOpen(new SegmentName(_key, (uint)Environment.ProcessId, (uint)reached.DangerousGetHandle())));
            Assert.False(watch.WasOpened);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void Another_users_pipe_that_looks_like_a_segment_is_not_opened_by_root()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "it takes root to act as another user");
        using Process attacker = StartAsNobody(
            // A name space of the attacker's own: the pipe's path, as everybody sees it, is that of memory without a
            // file.
            "mkdir -p box && mount -t tmpfs box box && mkfifo 'box/memfd:quicksilver' && exec "
                + "9<>'box/memfd:quicksilver' && umount -l box "
            + "&& echo ready && read line");
        try
        {
            string? word = attacker.StandardOutput.ReadLine();
            Assert.SkipUnless(word == "ready", "no name spaces for users here");
            string pipe = string.Create(CultureInfo.InvariantCulture, $"/proc/{attacker.Id}/fd/9");
            Assert.Equal("/memfd:quicksilver", new FileInfo(pipe).LinkTarget);
            using var watch = new OpenWatch(pipe);
            Assert.Null(_host!.TryOpen(new SegmentName(_key, (uint)attacker.Id, 9)));
            Assert.False(watch.WasOpened, "the pipe was opened");
        }
        finally
        {
            attacker.StandardInput.Close();
            attacker.WaitForExit();
        }
    }

    [Fact]
    public void Made_up_names_are_not_looked_at_without_end()
    {
        var counters = new TransportCounters();
        using SharedMemory reader = SharedMemory.TryCreate(counters, out _, Blocks)!;
        long started = Environment.TickCount64;
        for (uint index = 0; index < 100_000; index++)
            Assert.False(reader.TryAttach(new SegmentName(_key + index, index, 3), 7));
        ulong seconds = (ulong)(Environment.TickCount64 - started + 1999) / 1000;
        Assert.InRange(counters.AttachesRefused, 1UL, seconds * RefusedNames.MaxPerSecond);
    }

    private string MakePipe()
    {
        string pipe = Path.Combine(_folder, "pipe");
        Assert.Equal(0, MakePipe(pipe, 0x180));
        return pipe;
    }

    private Process StartAsNobody(string script)
    {
        if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(_folder, (UnixFileMode)0x1FF);
        var start = new ProcessStartInfo(
            "setpriv")
        { RedirectStandardInput = true, RedirectStandardOutput = true, WorkingDirectory = _folder };
        string[] arguments =
            ["--reuid", Nobody, "--regid", Nobody, "--clear-groups", "unshare", "--user", "--map-root-user", "--mount",
                "sh", "-c", script];
        foreach (string argument in arguments) start.ArgumentList.Add(argument);
        try
        {
            return Process.Start(start)!;
        }
        catch (System.ComponentModel.Win32Exception absence)
        {
            Assert.Skip("setpriv: " + absence.Message);
            throw;
        }
    }

    [LibraryImport("libc", EntryPoint = "mkfifo", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakePipe(string path, uint mode);

    [LibraryImport("libc", EntryPoint = "dup3", SetLastError = true)]
    private static partial int Duplicate(SafeFileHandle from, SafeFileHandle to, int flags);
}
