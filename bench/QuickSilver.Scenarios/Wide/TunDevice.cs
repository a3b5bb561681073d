using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Text;

namespace QuickSilver.Scenarios.Wide;

/// <summary>
/// A network card whose cable is this process: what the kernel sends by it is read here as IP packets, and what is
/// written here the kernel receives. It is gone when it is closed. Linux only, by root.
/// </summary>
internal sealed partial class TunDevice : IDisposable
{
    private const int ReadWrite = 2;
    private const int NonBlocking = 0x800;
    private const nuint SetInterface = 0x4004_54CA;
    private const short TunWithoutHead = 0x1001;
    private const int RequestBytes = 40;
    private const int NameBytes = 16;

    /// <summary>Makes a card in the network namespace of this process. It may be moved into another.</summary>
    /// <param name="name">Its name: at most 15 letters.</param>
    /// <exception cref="InvalidOperationException">The system refused.</exception>
    public TunDevice(string name)
    {
        Descriptor = Open("/dev/net/tun", ReadWrite | NonBlocking);
        if (Descriptor < 0) throw Refusal("open /dev/net/tun");
        var request = new byte[RequestBytes];
        Encoding.ASCII.GetBytes(name, request);
        BitConverter.TryWriteBytes(request.AsSpan(NameBytes), TunWithoutHead);
        if (Control(Descriptor, SetInterface, request) == 0) return;
        InvalidOperationException refusal = Refusal($"make the card {name}");
        Dispose();
        throw refusal;
    }

    /// <summary>The file that is polled.</summary>
    public int Descriptor { get; }

    /// <summary>Takes the next packet.</summary>
    /// <returns>Its bytes; 0 or less when none is there.</returns>
    public int Read(Span<byte> buffer) =>
        (int)Read(Descriptor, ref MemoryMarshal.GetReference(buffer), (nuint)buffer.Length);

    /// <summary>Gives the kernel a packet; one that it does not take is lost.</summary>
    public void Write(ReadOnlySpan<byte> packet) =>
        _ = Write(Descriptor, in MemoryMarshal.GetReference(packet), (nuint)packet.Length);

    /// <inheritdoc/>
    public void Dispose() => _ = Close(Descriptor);

    private static InvalidOperationException Refusal(string what) =>
        new($"cannot {what}: {new Win32Exception(Marshal.GetLastPInvokeError()).Message}");

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    private static partial int Control(int file, nuint request, byte[] argument);

    [LibraryImport("libc", EntryPoint = "read")]
    private static partial nint Read(int file, ref byte buffer, nuint length);

    [LibraryImport("libc", EntryPoint = "write")]
    private static partial nint Write(int file, in byte buffer, nuint length);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int file);
}
