namespace QuickSilver;

/// <summary>
/// Options that redraw measurements of papers, or that the library finds itself. A program that sets one says so by
/// suppressing the warning. They may change or go in any version.
/// </summary>
internal static class ExperimentalOptions
{
    /// <summary>The diagnostic of the compiler.</summary>
    public const string Id = "QS9001";
}
