using System.ComponentModel;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Bench.Lab;

/// <summary>Opens sockets inside a network namespace, from a process that stays outside. Linux only.</summary>
internal static partial class NamespaceSocket
{
    private const int NetworkNamespace = 0x40000000;

    /// <summary>Opens one. It keeps the namespace in which it was opened.</summary>
    /// <param name="name">Of the namespace.</param>
    /// <param name="type">Of the socket.</param>
    /// <param name="protocol">Of the socket.</param>
    /// <exception cref="InvalidOperationException">The system refused.</exception>
    public static Socket Open(string name, SocketType type, ProtocolType protocol)
    {
        Socket? opened = null;
        Exception? failure = null;
        // A namespace is the thread's: this one ends with it.
        var thread = new Thread(() =>
        {
            try
            {
                // Not a stream: such a file cannot be sought in.
                using SafeFileHandle place = File.OpenHandle($"/run/netns/{name}", share: FileShare.ReadWrite);
                if (Enter(place, NetworkNamespace) != 0)
                    throw new Win32Exception(Marshal.GetLastPInvokeError());
                opened = new Socket(AddressFamily.InterNetwork, type, protocol);
            }
            catch (Exception refused) when (refused is IOException or Win32Exception or UnauthorizedAccessException)
            {
                failure = refused;
            }
        });
        thread.Start();
        thread.Join();
        return opened ?? throw new InvalidOperationException($"no socket in {name}: {failure!.Message}", failure);
    }

    [LibraryImport("libc", EntryPoint = "setns", SetLastError = true)]
    private static partial int Enter(SafeFileHandle place, int kind);
}
