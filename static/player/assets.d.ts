/** Style sheets are taken into the bundle by esbuild; to the type checker they are nothing. */
declare module "*.css";
