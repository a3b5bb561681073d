using System.Globalization;
using System.Net;
using System.Runtime.InteropServices;
using QuickSilver.Transport.Sharing;

namespace QuickSilver.Membership;

/// <summary>Who listens at a port of this machine, as the kernel's table has it. On Linux alone; elsewhere nobody is
/// found.</summary>
/// <param name="User">The number of the user.</param>
/// <param name="Socket">The number of the socket, which no other has while it is open.</param>
internal readonly record struct LocalListener(uint User, ulong Socket)
{
    private const string Listening = "0A";
    private const string AnyAddress = "00000000";
    private const string Mapped = "0000000000000000FFFF0000";
    private const int StateField = 3;
    private const int UserField = 7;
    private const int SocketField = 9;

    /// <summary>True when it belongs to another user than this process.</summary>
    public bool IsOthers => User != SegmentNative.EffectiveUser();

    /// <summary>Finds the listener to which the kernel gives connections to an IPv4 address and port.</summary>
    /// <returns>Null when nobody listens, or the table cannot be read.</returns>
    public static LocalListener? Find(IPEndPoint place) =>
        OperatingSystem.IsLinux() ? Find(place, Read("/proc/net/tcp"), Read("/proc/net/tcp6")) : null;

    /// <summary>Finds a listener in the kernel's tables of both versions of IP.</summary>
    internal static LocalListener? Find(IPEndPoint place, string table, string table6)
    {
        uint bits = MemoryMarshal.Read<uint>(place.Address.GetAddressBytes());
        string address = bits.ToString("X8", CultureInfo.InvariantCulture);
        string port = ":" + place.Port.ToString("X4", CultureInfo.InvariantCulture);
        // The kernel prefers the more specific one.
        return FindIn(table, address + port)
            ?? FindIn(table, AnyAddress + port)
            ?? FindIn(table6, Mapped + address + port)
            ?? FindIn(table6, AnyAddress + AnyAddress + AnyAddress + AnyAddress + port);
    }

    private static LocalListener? FindIn(string table, string local)
    {
        foreach (string line in table.Split('\n'))
        {
            if (!line.Contains(local, StringComparison.Ordinal)) continue;
            string[] fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (fields.Length > SocketField && fields[1] == local && fields[StateField] == Listening
                && uint.TryParse(fields[UserField], CultureInfo.InvariantCulture, out uint user)
                && ulong.TryParse(fields[SocketField], CultureInfo.InvariantCulture, out ulong socket))
                return new LocalListener(user, socket);
        }
        return null;
    }

    private static string Read(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
