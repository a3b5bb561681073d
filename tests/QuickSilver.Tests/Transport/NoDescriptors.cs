using System.Runtime.InteropServices;

namespace QuickSilver.Tests.Transport;

/// <summary>
/// The process may open nothing more, from when it is made until it is disposed of. For Linux, and for moments in which
/// nothing else runs; code that is to run meanwhile must have run before, since loading it opens files.
/// </summary>
internal sealed partial class NoDescriptors : IDisposable
{
    private const int OpenFiles = 7;
    private readonly nuint[] _before = new nuint[2];

    public NoDescriptors()
    {
        Assert.Equal(0, Get(OpenFiles, _before));
        Assert.Equal(0, Set(OpenFiles, [0, _before[1]]));
    }

    public void Dispose() => Assert.Equal(0, Set(OpenFiles, _before));

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int Get(int resource, [Out] nuint[] limits);

    [LibraryImport("libc", EntryPoint = "setrlimit")]
    private static partial int Set(int resource, [In] nuint[] limits);
}
