using System.Globalization;
using Microsoft.Win32.SafeHandles;
using QuickSilver.Protocol.Wire;
using QuickSilver.Security;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// Segments of processes: memory without a file (memfd_create), which another process opens through the owner's
/// descriptor (/proc/PID/fd/N). Nothing remains when the processes end, in any way. It is sealed before its name is
/// announced: if it could shrink, a reader of the missing part would be killed.
/// <para>
/// A name comes from the network and may be arbitrary, and opening a file, pipe or device can have side effects. The
/// target of a name is therefore first reached without being opened. It is opened only if it belongs to the same user,
/// and lies on the device of this process's own segment. The kernel keeps memory without a file there, and no path
/// leads to it. It is used only if it cannot shrink and has the expected header: the key, the process, and namespaces
/// that both share. (Otherwise an owner could take a living reader for dead, and reuse its memory.) The text of the
/// link is not sufficient, because others choose it. The owner of /proc/PID proves nothing: it is root where a process
/// may not be traced.
/// </para>
/// Cost: opening takes some ten system calls, and keeps no descriptor.
/// </summary>
internal sealed class LinuxSegments : ISegmentHost
{
    private const string Label = "quicksilver";
    private const string Link = "/memfd:" + Label;

    private readonly ulong _space;
    private ulong? _device;

    private LinuxSegments(ProcessMark self, ulong space)
    {
        Self = self;
        _space = space;
    }

    /// <inheritdoc/>
    public ProcessMark Self { get; }

    /// <inheritdoc/>
    public long Milliseconds => Environment.TickCount64;

    /// <summary>Reads the identity of this process from the system.</summary>
    /// <returns>The host; null when the identity does not suffice to share memory.</returns>
    public static LinuxSegments? TryFind(out string reason)
    {
        if (!OperatingSystem.IsLinux() || !Environment.Is64BitProcess)
        {
            reason = "it is for 64-bit Linux";
            return null;
        }
        uint process = (uint)Environment.ProcessId;
        ulong start = ProcessLife.StartOf(process);
        ulong space = Namespace("pid");
        reason = start == 0 || space == 0 ? "/proc has no information on this process" : "";
        return reason.Length > 0
            ? null
            : new LinuxSegments(new ProcessMark(process, start), space | (Namespace("time") << 32));
    }

    /// <summary>Creates this process's segment, which must exist before others are opened.</summary>
    /// <param name="key">The key of the segment.</param>
    /// <param name="blocks">The number of blocks.</param>
    /// <param name="reason">The reason of a failure; otherwise empty.</param>
    /// <returns>The memory; null when the system refuses.</returns>
    public SegmentMemory? TryMake(ulong key, int blocks, out string reason)
    {
        if (!FileSizeLimit.Allows(SegmentLayout.TotalBytes(blocks), out reason)) return null;
        SafeFileHandle? descriptor = null;
        try
        {
            descriptor = Create();
            RandomAccess.SetLength(descriptor, SegmentLayout.TotalBytes(blocks));
            Span<byte> header = stackalloc byte[SegmentLayout.HeaderBytes];
            SegmentLayout.WriteHeader(header, key, Self, _space, blocks);
            RandomAccess.Write(descriptor, header, 0);
            const int Seals = SegmentNative.SealShrink | SegmentNative.SealGrow | SegmentNative.SealSeal;
            bool isGood = SegmentNative.Control(descriptor, SegmentNative.AddSeals, Seals) == 0;
            isGood &= SegmentNative.TryGetDevice(descriptor, out ulong device);
            if (isGood && SegmentMapping.TryMap(descriptor, blocks, isOwn: true) is { } mapping)
            {
                reason = "";
                _device = device;
                var name = new SegmentName(key, Self.Process, (uint)descriptor.DangerousGetHandle());
                return new MappedMemory(name, Self, mapping, blocks, descriptor);
            }
            reason = "the system does not seal or map memory";
        }
        catch (Exception refusal)
            when (IsOfTheSystem(refusal) || refusal is EntryPointNotFoundException or DllNotFoundException)
        {
            reason = refusal.Message;
        }
        descriptor?.Dispose();
        return null;
    }

    /// <inheritdoc/>
    public SegmentMemory? TryOpen(in SegmentName name)
    {
        try
        {
            string path = string.Create(CultureInfo.InvariantCulture, $"/proc/{name.Process}/fd/{name.Descriptor}");
            using SafeFileHandle reached = SegmentNative.Reach(path);
            if (reached.IsInvalid || !SegmentNative.TryGetDevice(reached, out ulong device) || device != _device)
                return null;
            string found = SegmentNative.PathOf(reached);
            if (new FileInfo(found).LinkTarget?.StartsWith(Link, StringComparison.Ordinal) != true) return null;
            using SafeFileHandle descriptor = SegmentNative.OpenAgain(found);
            if (descriptor.IsInvalid) return null;
            int seals = SegmentNative.Control(descriptor, SegmentNative.GetSeals, 0);
            if (seals < 0 || (seals & SegmentNative.SealShrink) == 0) return null;
            Span<byte> header = stackalloc byte[SegmentLayout.HeaderBytes];
            header = header[..RandomAccess.Read(descriptor, header, 0)];
            long length = RandomAccess.GetLength(descriptor);
            if (!SegmentLayout.TryReadHeader(header, length, name, _space, out ProcessMark owner, out int blocks))
                return null;
            SegmentMapping? mapping = SegmentMapping.TryMap(descriptor, blocks, isOwn: false);
            return mapping is null ? null : new MappedMemory(name, owner, mapping, blocks, null);
        }
        catch (Exception refusal) when (IsOfTheSystem(refusal))
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public bool IsAlive(ProcessMark process) => ProcessLife.IsAlive(process);

    private static SafeFileHandle Create()
    {
        const uint Flags = SegmentNative.CloseOnExec | SegmentNative.AllowSealing;
        int descriptor = SegmentNative.MemoryCreate(Label, Flags | SegmentNative.NoExecute);
        if (descriptor < 0) descriptor = SegmentNative.MemoryCreate(Label, Flags);
        if (descriptor < 0)
        {
            throw new IOException(
                "memfd_create: " + System.Runtime.InteropServices.Marshal.GetLastPInvokeErrorMessage());
        }
        return new SafeFileHandle(descriptor, ownsHandle: true);
    }

    // The kernel's number of a namespace, as in "pid:[4026531836]"; 0 if it is unknown.
    private static ulong Namespace(string kind)
    {
        try
        {
            string target = new FileInfo("/proc/self/ns/" + kind).LinkTarget ?? "";
            int from = target.IndexOf('[', StringComparison.Ordinal) + 1;
            return from > 0
                && uint.TryParse(target.AsSpan(from).TrimEnd(']'), CultureInfo.InvariantCulture, out uint number)
                ? number
                : 0;
        }
        catch (Exception refusal) when (IsOfTheSystem(refusal))
        {
            return 0;
        }
    }

    private static bool IsOfTheSystem(Exception exception) =>
        exception is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException;
}
