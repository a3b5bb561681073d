namespace QuickSilver.Cli.Printing;

/// <summary>The size of the terminal.</summary>
/// <param name="Width">Columns.</param>
/// <param name="Height">Lines.</param>
internal readonly record struct TerminalSize(int Width, int Height)
{
    /// <summary>That of what is no terminal.</summary>
    public static readonly TerminalSize Endless = new(int.MaxValue, int.MaxValue);

    private static readonly TerminalSize Usual = new(80, 24);

    /// <summary>The size now; 80 by 24 where it is not known.</summary>
    public static TerminalSize Now()
    {
        try
        {
            return new TerminalSize(
                Console.WindowWidth > 0 ? Console.WindowWidth : Usual.Width,
                Console.WindowHeight > 0 ? Console.WindowHeight : Usual.Height);
        }
        catch (IOException)
        {
            return Usual;
        }
    }
}
